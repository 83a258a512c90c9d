import type { Histogram } from '../lib/histogram.ts'

/** How much? A learner turns what was seen in a tick into the rate that the origin can take within its SLA. */
export interface Learner<State extends LearnerState = LearnerState> {
  /** A plain JSON value, replaced at each update and never written into: it can be stored as it is. */
  readonly state: State
  update(sample: Sample): Decision
}

export interface LearnerState {
  readonly version: number
}

export interface Decision {
  /** λ*, in the unit of the sample's `granularity`, per second; null: no limit. */
  readonly limit: number | null
  readonly reason: Reason
  /** Where the policy gives probabilities rather than a rate (tbac, pac, multiclass aimd): by class key. */
  readonly probabilities?: Readonly<Record<string, number>>
  /** Most requests at the origin at once; null or absent: no cap. */
  readonly inFlightCap?: number | null
  /** How much may come at once, in the unit of `limit`; absent: the coordinator's own choice. */
  readonly burst?: number
  /** Requests that a session makes over its life, as far as the learner knows. */
  readonly requestsPerSession?: number
  /** The offered rate that the policy foresees, in the unit of `limit`: p = limit / expected. */
  readonly expected?: number
}

/** The same words in metrics, logs, the admin API, docs/learners.md and the tests. */
export const LEARNER_REASONS = {
  'no-data': 'nothing to judge by in this tick: the limit is kept',
  fixed: 'set by hand',
  slow: 'over the target: less, or nobody new',
  fast: 'clearly under the target: more, or everybody',
  steady: 'near the target: kept',
  surge: 'flash-crowd mode: arrivals are followed, nothing is learned',
  cold: 'nothing learned yet',
  growing: 'more than ever seen, step by step',
  backlogged: 'requests wait: the goodput of this moment is the capacity',
  capacity: 'a change of capacity was announced, or found',
  unidentified: 'no model could be fitted yet: a built-in gain steers',
  invalid: 'the sample could not be judged: the limit is kept',
} as const

export type Reason = keyof typeof LEARNER_REASONS

/** All that one tick showed. Rates are per second. */
export interface Sample {
  /** How long the tick was; above 0. */
  readonly lengthMs: number
  /** The unit of the limit: new sessions, or requests. */
  readonly granularity: 'session' | 'request'
  /** Asked for a decision. On a session route `requests` are those of new and known sessions together. */
  readonly offered: Rates
  readonly admitted: Rates
  /** Served per second, however late. */
  readonly goodput: number
  /** 5xx, time-outs and resets per second: they count as over the target. */
  readonly failures: number
  /** Requests at the origin at the end of the tick. */
  readonly inFlight: number
  /** By type of request; the pooled figures are their sums. */
  readonly tiers: readonly TierSample[]
  readonly classes: readonly ClassSample[]
  /** Requests of admitted sessions by the session's age (ages.ts). */
  readonly ages: readonly number[]
  readonly capacity: readonly CapacityEvent[]
}

export interface Rates {
  readonly sessions: number
  readonly requests: number
}

export interface TierSample {
  readonly name: string
  readonly percentile: number
  readonly targetMs: number
  /** The SLA's window. */
  readonly windowMs: number
  /** Whole numbers: served and failed in this tick; of these, over the target. */
  readonly completed: number
  readonly late: number
  /** Of the served. */
  readonly latencyUs: number
  readonly latency: Histogram
}

export interface ClassSample {
  /** route/class */
  readonly key: string
  readonly value: number
  readonly percentile: number
  readonly targetMs: number
  /** Per second. */
  readonly offered: number
  readonly admitted: number
  /** Of the served in this tick. */
  readonly latency: Histogram
  /** Per second. */
  readonly failures: number
}

/** Announced: so much capacity before, so much after, in any unit. ρ = after / before. */
export interface CapacityEvent {
  readonly before: number
  readonly after: number
}
