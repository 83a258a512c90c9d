import type { Sample } from '../../learners/learner-interface.ts'
import { rateOf } from '../../learners/sample.ts'
import {
  EMPTY_HISTOGRAM,
  type Histogram,
  histogramTotal,
  isHistogram,
  mergeHistograms,
} from '../../lib/histogram.ts'
import { ageBucketFromS } from '../../lib/session-age-buckets.ts'
import {
  atLeastZero,
  list,
  nullable,
  object,
  optional,
  record,
  type StateSchema,
} from '../../lib/state-schema.ts'

/** What the gate itself sees of an origin's load over the last minutes: a plain JSON value. */
export interface LoadMeasure {
  /** Response times of the served, for the shape of their distribution. */
  readonly responses: Histogram
  /** Those of the classes with an SLA of their own, by class key. They are not in `responses`. Absent: there are none. */
  readonly own?: Readonly<Record<string, Histogram>>
  /** Sums over ticks: requests to the origin, and half the squared differences between one tick and the next. */
  readonly requests: number
  readonly differences: number
  readonly lastRequests: number | null
  /** New sessions, and requests of sessions by their age. */
  readonly sessions: number
  readonly sessionRequests: number
  /** Requests of sessions after their first one and within the first half minute. */
  readonly youngRequests: number
  /** Arrivals in short intervals; the newest is last. */
  readonly intervals: readonly ArrivalInterval[]
}

interface ArrivalInterval {
  readonly fromMs: number
  readonly ms: number
  readonly offered: number
  readonly admitted: number
}

export const NO_LOAD: LoadMeasure = {
  responses: EMPTY_HISTOGRAM,
  requests: 0,
  differences: 0,
  lastRequests: null,
  sessions: 0,
  sessionRequests: 0,
  youngRequests: 0,
  intervals: [],
}

/** When so much is counted, all counts are halved, so that old ones fade. */
const MOST_RESPONSES = 50_000
const MOST_REQUESTS = 100_000
const MOST_SESSIONS = 10_000
const INTERVALS = 20
const YOUNG_S = 30
const LEAST_SESSIONS = 20
const LEAST_DIFFERENCES_OF = 100

/** `windowMs`: the time over which arrivals are averaged. `ownKeys`: the classes with an SLA of their own. */
export function loadAfter(
  before: LoadMeasure,
  sample: Sample,
  nowMs: number,
  windowMs: number,
  ownKeys: readonly string[] = [],
): LoadMeasure {
  const seconds = sample.lengthMs / 1000
  const sent = sample.admitted.requests * seconds
  const perTick = sample.admitted.requests
  const difference = before.lastRequests === null ? 0 : (perTick - before.lastRequests) ** 2 / 2
  let ages = 0
  let young = 0
  for (let i = 0; i < sample.ages.length; i += 2) {
    const count = sample.ages[i + 1]!
    ages += count
    if (sample.ages[i]! > 0 && ageBucketFromS(sample.ages[i]!) < YOUNG_S) young += count
  }
  return faded({
    ...responsesAfter(before, sample, ownKeys),
    requests: before.requests + sent,
    differences: before.differences + difference * seconds,
    lastRequests: perTick,
    sessions: before.sessions + sample.admitted.sessions * seconds,
    sessionRequests: before.sessionRequests + ages,
    youngRequests: before.youngRequests + young,
    intervals: intervalsAfter(before.intervals, sample, nowMs, windowMs),
  })
}

/**
 * C_a²: how much more the arrivals of a second vary than those of a Poisson process. Differences between neighbouring
 * ticks leave out the trend. 1 until enough is known.
 */
export function arrivalVariability({ requests, differences }: LoadMeasure): number {
  if (requests < LEAST_DIFFERENCES_OF) return 1
  return Math.min(25, differences / requests)
}

/** λ_obs and the refused part. The last quarter counts if it is higher, so that a surge is seen at once. */
export function arrivalsNow(
  { intervals }: LoadMeasure,
  nowMs: number,
  windowMs: number,
): { readonly rate: number; readonly refused: number } {
  const whole = sumSince(intervals, nowMs - windowMs)
  const recent = sumSince(intervals, nowMs - windowMs / 4)
  const refused = recent.offered > 0 ? Math.max(0, 1 - recent.admitted / recent.offered) : 0
  return { rate: Math.max(whole.rate, recent.rate), refused }
}

/** Z and τ: mean think time and mean length of a session, in seconds; null: unknown. */
export function sessionTimes(
  { sessions, youngRequests }: LoadMeasure,
  requestsPerSession: number,
): { readonly thinkS: number; readonly lengthS: number } | null {
  if (sessions < LEAST_SESSIONS || youngRequests === 0) return null
  const thinkS = (YOUNG_S * sessions) / youngRequests
  return { thinkS, lengthS: thinkS * Math.max(0, requestsPerSession - 1) }
}

/** Requests in a session; null: unknown, or the origin has no sessions. */
export function requestsPerSession({ sessions, sessionRequests }: LoadMeasure): number | null {
  return sessions < LEAST_SESSIONS ? null : Math.max(1, sessionRequests / sessions)
}

function intervalsAfter(
  before: readonly ArrivalInterval[],
  sample: Sample,
  nowMs: number,
  windowMs: number,
): readonly ArrivalInterval[] {
  const seconds = sample.lengthMs / 1000
  const offered = rateOf(sample.offered, sample.granularity) * seconds
  const admitted = rateOf(sample.admitted, sample.granularity) * seconds
  const last = before.at(-1)
  const kept = before.filter(({ fromMs }) => nowMs - fromMs <= windowMs)
  if (last !== undefined && kept.length > 0 && last.ms < windowMs / INTERVALS) {
    const { fromMs, ms } = last
    const grown = {
      fromMs,
      ms: ms + sample.lengthMs,
      offered: last.offered + offered,
      admitted: last.admitted + admitted,
    }
    return [...kept.slice(0, -1), grown]
  }
  const fromMs = Math.max(0, nowMs - sample.lengthMs)
  return [...kept, { fromMs, ms: sample.lengthMs, offered, admitted }].slice(-INTERVALS - 2)
}

/** Time without a report counts as time without arrivals. */
function sumSince(intervals: readonly ArrivalInterval[], fromMs: number) {
  let offered = 0
  let admitted = 0
  let firstMs = Number.POSITIVE_INFINITY
  let endMs = fromMs
  for (const interval of intervals) {
    if (interval.fromMs + interval.ms <= fromMs) continue
    offered += interval.offered
    admitted += interval.admitted
    firstMs = Math.min(firstMs, interval.fromMs)
    endMs = Math.max(endMs, interval.fromMs + interval.ms)
  }
  const seconds = (endMs - Math.min(firstMs, endMs)) / 1000
  return { offered, admitted, rate: seconds > 0 ? offered / seconds : 0 }
}

type Responses = Pick<LoadMeasure, 'responses' | 'own'>

function responsesAfter(
  before: LoadMeasure,
  { tiers, classes }: Sample,
  ownKeys: readonly string[],
): Responses {
  const all = (seen: readonly { readonly latency: Histogram }[], known: Histogram): Histogram =>
    seen.reduce((sum, { latency }) => mergeHistograms(sum, latency), known)
  if (ownKeys.length === 0) return { responses: all(tiers, before.responses) }
  const ofOthers = classes.filter(({ key }) => !ownKeys.includes(key))
  const own = ownKeys.map((own) => {
    const seen = classes.filter(({ key }) => key === own)
    return [own, all(seen, before.own?.[own] ?? EMPTY_HISTOGRAM)] as const
  })
  return { responses: all(ofOthers, before.responses), own: Object.fromEntries(own) }
}

/** All at once, so that each keeps its part. */
function fadedResponses({ responses, own }: Responses): Responses {
  const owns = Object.entries(own ?? {})
  const total = owns.reduce((sum, [, one]) => sum + histogramTotal(one), histogramTotal(responses))
  if (total <= MOST_RESPONSES) return own === undefined ? { responses } : { responses, own }
  const fewer = owns.map(([key, one]) => [key, halved(one)] as const)
  return {
    responses: halved(responses),
    ...(own === undefined ? {} : { own: Object.fromEntries(fewer) }),
  }
}

function faded(load: LoadMeasure): LoadMeasure {
  const { requests, differences, sessions, sessionRequests, youngRequests } = load
  return {
    ...load,
    ...fadedResponses(load),
    ...(requests > MOST_REQUESTS ? { requests: requests / 2, differences: differences / 2 } : {}),
    ...(sessions > MOST_SESSIONS
      ? {
          sessions: sessions / 2,
          sessionRequests: sessionRequests / 2,
          youngRequests: youngRequests / 2,
        }
      : {}),
  }
}

function halved(histogram: Histogram): Histogram {
  const cells: number[] = []
  for (let i = 0; i < histogram.length; i += 2) {
    const count = Math.floor(histogram[i + 1]! / 2)
    if (count > 0) cells.push(histogram[i]!, count)
  }
  return cells
}

export const isLoadMeasure: StateSchema = object({
  responses: isHistogram,
  own: optional(record(isHistogram)),
  requests: atLeastZero,
  differences: atLeastZero,
  lastRequests: nullable(atLeastZero),
  sessions: atLeastZero,
  sessionRequests: atLeastZero,
  youngRequests: atLeastZero,
  intervals: list(
    object({ fromMs: atLeastZero, ms: atLeastZero, offered: atLeastZero, admitted: atLeastZero }),
  ),
})
