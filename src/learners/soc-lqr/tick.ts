import { histogramTotal } from '../../lib/histogram.ts'
import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Sample } from '../learner-interface.ts'

/** A sample as counts. */
export interface Tick {
  readonly seconds: number
  readonly onSessions: boolean
  readonly sessions: number
  readonly requests: number
  /** Asked for and let in, in requests per second. */
  readonly offered: number
  readonly load: number
  readonly completed: number
  readonly served: number
  /** Requests whose clients gave up. */
  readonly abandoned: number
  /** Response times of the served, added up. */
  readonly latencyS: number
  readonly inFlight: number
  readonly ages: readonly number[]
  /** Sessions per second that asked. */
  readonly offeredSessions: number
  /** Measured dead time of the loop; absent: not known. */
  readonly deadS?: number
  /** Sessions that the origin has ended, by their age. */
  readonly ended?: readonly number[]
  /** Classes of different value compete. */
  readonly contested: boolean
  /** More ask than are let in. */
  readonly refusing: boolean
  /** Nothing was sent, nothing came back, nothing is there: nobody came, or the report is lost. */
  readonly silent: boolean
}

/** Completions: a few show what is plain, fewer than `SOME` are mostly chance, `MANY` are not, and older than `ALL` are of the past. */
export const FEW = 20
export const SOME = 50
export const MANY = 400
export const ALL = 2000

/** Below this z nothing waits that would matter. */
export const QUIET = 0.3

/** Where more clients than this part of the completions give up, work is done for nobody and sessions break off. */
export const LEAVING = 0.05
/** Fewer refusals may be chance, or clients over their quota. */
const REFUSING = 1.02

export function tickOf(sample: Sample): Tick {
  const seconds = sample.lengthMs / 1000
  const sum = (pick: (tier: Sample['tiers'][number]) => number): number =>
    sample.tiers.reduce((total, tier) => total + pick(tier), 0)
  const completed = sum((tier) => tier.completed)
  const { sessions, requests } = sample.admitted
  const { offered } = sample
  const onSessions = sample.granularity === 'session'
  return {
    seconds,
    onSessions,
    sessions: sessions * seconds,
    requests: requests * seconds,
    offered: offered.requests,
    load: requests,
    completed,
    served: sum((tier) => histogramTotal(tier.latency)),
    abandoned: (sample.abandoned ?? 0) * seconds,
    latencyS: sum((tier) => tier.latencyUs / 1e6),
    inFlight: sample.inFlight,
    ages: sample.ages,
    offeredSessions: offered.sessions,
    ...(sample.deadTimeMs === undefined ? {} : { deadS: sample.deadTimeMs / 1000 }),
    ...(sample.ended ? { ended: sample.ended } : {}),
    contested: new Set(sample.classes.map(({ value }) => value)).size > 1,
    refusing: onSessions
      ? offered.sessions > REFUSING * sessions
      : offered.requests > REFUSING * requests,
    silent: completed === 0 && requests === 0 && sample.inFlight === 0 && sessions === 0,
  }
}

/** Ticks that are judged together: what one of them shows is mostly chance. */
export interface Interval {
  readonly seconds: number
  readonly requests: number
  readonly completed: number
  readonly served: number
  readonly abandoned: number
  /** For so long more asked than were let in. */
  readonly refusingS: number
}

export const NO_INTERVAL: Interval = {
  seconds: 0,
  requests: 0,
  completed: 0,
  served: 0,
  abandoned: 0,
  refusingS: 0,
}

export const isInterval: StateSchema = object({
  seconds: atLeastZero,
  requests: atLeastZero,
  completed: atLeastZero,
  served: atLeastZero,
  abandoned: atLeastZero,
  refusingS: atLeastZero,
})

export function addTick(interval: Interval, tick: Tick): Interval {
  return {
    seconds: interval.seconds + tick.seconds,
    requests: interval.requests + tick.requests,
    completed: interval.completed + tick.completed,
    served: interval.served + tick.served,
    abandoned: interval.abandoned + tick.abandoned,
    refusingS: interval.refusingS + (tick.refusing ? tick.seconds : 0),
  }
}

/** Completions that make an interval; while the capacity is not known, evidence must come sooner. */
const ENOUGH = 100
/** A small origin is judged by few after this time. */
const LONG_S = 5

export function isFull(interval: Interval, tick: Tick, isKnown: boolean): boolean {
  const { seconds } = interval
  const ended = interval.completed + interval.abandoned
  if (seconds < 1.5 * tick.seconds) return false
  if (ended >= (isKnown ? ENOUGH : SOME)) return true
  return seconds >= LONG_S && ended >= FEW
}
