import type { Histogram } from '../lib/histogram.ts'

/** A learner computes, from the samples of the ticks, the rate that the origin can serve within its SLA. */
export interface Learner<State extends LearnerState = LearnerState> {
  /** A plain JSON value that can be stored as it is. Each update replaces it; nothing changes it in place. */
  readonly state: State
  update(sample: Sample): Decision
  /** What it has learned of response time against load, with rising load; absent: it learns no such curve. */
  curve?(): readonly LoadPoint[]
}

/** A point of a learned curve: at this load, per second, the response time is `value` ms. */
export interface LoadPoint {
  readonly load: number
  readonly value: number
}

export interface LearnerState {
  readonly version: number
}

export interface Decision {
  /** λ*, in the unit of the sample's `granularity`, per second; null: no limit. */
  readonly limit: number | null
  readonly reason: Reason
  /** By class key, from policies that set probabilities instead of a rate (tbac, pac, multiclass aimd). */
  readonly probabilities?: Readonly<Record<string, number>>
  /** By class key, the rates that the probabilities are to give, if the policy has any (multiclass aimd). */
  readonly rates?: Readonly<Record<string, number>>
  /**
   * λ̂_in: the predicted arrivals, in the unit of `limit`. Then draws with p = min(1, limit / arrivals) keep the limit, as
   * in Bartolini et al. 2009, §4.1. Absent: the coordinator estimates the arrivals itself.
   */
  readonly arrivals?: number
  /** Largest number of requests in flight; null or absent: no cap. */
  readonly inFlightCap?: number | null
  /** Depth of the token bucket, in the unit of `limit`; absent: the coordinator chooses. */
  readonly burst?: number
  /** Requests that one session makes in all, if the learner has an estimate. */
  readonly requestsPerSession?: number
}

/** Metrics, logs, the admin API, docs/learners.md and the tests use the same words. */
export const LEARNER_REASONS = {
  'no-data': 'no data in this tick: the limit is kept',
  fixed: 'set by hand',
  slow: 'over the target: the limit falls, or no new session is admitted',
  fast: 'clearly under the target: the limit rises, or all are admitted',
  steady: 'near the target: the limit is kept',
  surge: 'flash-crowd mode: the predicted arrivals follow every tick, nothing is learned',
  cold: 'nothing learned yet',
  growing: 'the limit rises step by step beyond the highest load seen',
  backlogged: 'requests queue at the origin, so its goodput is its capacity',
  tier: 'a tier of the origin cannot grow: the limit is what it carries',
  capacity: 'a change of capacity was announced or detected',
  unidentified: 'no model of the origin could be fitted yet: a built-in gain is used',
  unprotected:
    'mode `observe`, and the origin is overloaded: the limit is the highest goodput that was in time before',
  invalid: 'the sample is not usable: the limit is kept',
} as const

export type Reason = keyof typeof LEARNER_REASONS

/** The measurements of one tick. Rates are per second. */
export interface Sample {
  /** Length of the tick; above 0. */
  readonly lengthMs: number
  /** The unit of the limit: new sessions, or requests. */
  readonly granularity: 'session' | 'request'
  /** What asked for admission. On a session route `requests` counts those of new and known sessions. */
  readonly offered: Rates
  readonly admitted: Rates
  /** Served per second, in time or late. */
  readonly goodput: number
  /** 5xx, timeouts and resets per second: they count as over the target. */
  readonly failures: number
  /** Requests per second whose clients gave up before the answer; absent: none. */
  readonly abandoned?: number
  /** Requests in flight at the end of the tick. */
  readonly inFlight: number
  /** By type of request. */
  readonly tiers: readonly TierSample[]
  readonly classes: readonly ClassSample[]
  /** Requests of admitted sessions, counted by the session's age (src/lib/session-age-buckets.ts). */
  readonly ages: readonly number[]
  /** Sessions that the origin has ended, by their age in the same buckets; absent: none. */
  readonly ended?: readonly number[]
  readonly capacity: readonly CapacityEvent[]
  /** The peak of the arrivals that earlier days had in the next minutes, in the unit of the limit; absent: unknown. */
  readonly knownPeak?: number
  /**
   * Measured dead time of the loop: from what this sample shows until a decision that is made from it is in force at
   * the edge and shows in a sample, beyond the length of the tick itself. Mean over draws. Absent: not known.
   */
  readonly deadTimeMs?: number
  /** The limit that was in force at the draws of this sample, in the unit of the limit; absent: none, or not known. */
  readonly told?: number
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
  /** Integers: requests served or failed in this tick, and how many of them were over the target. */
  readonly completed: number
  readonly late: number
  /** Response times of the served requests. */
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
  /** Response times of the requests served in this tick. */
  readonly latency: Histogram
  /** Per second. */
  readonly failures: number
}

/** An announced change of capacity, in any unit. ρ = after / before. */
export interface CapacityEvent {
  readonly before: number
  readonly after: number
}
