/**
 * What the gate would have done, from what a site without it measured. Pure arithmetic on intervals of about a minute: the
 * lab compares it with what the gate then does (test/lab/prediction.test.ts).
 */

/** What was measured in an interval. Rates are per second. */
export interface Interval {
  readonly atMs: number
  readonly seconds: number
  /** Asked to be admitted: new sessions, or requests on a route without sessions. */
  readonly asked: number
  readonly requests: number
  /** Answered without an error, in time or late. */
  readonly served: number
  /** Answered within the target; null: the response times are not known. */
  readonly inTime: number | null
  readonly p95Ms: number | null
  /** The target in force. Absent: that of all intervals. */
  readonly targetMs?: number
}

export interface PredictionOptions {
  readonly granularity: 'session' | 'request'
  /** Of the intervals that have no target of their own. */
  readonly targetMs: number
  /** In requests per second, if it is known; absent: it is estimated. */
  readonly capacity?: number
}

export interface PredictedInterval {
  readonly atMs: number
  readonly seconds: number
  readonly asked: number
  readonly admitted: number
  readonly refused: number
  readonly p95Ms: number | null
  readonly isOverTarget: boolean
}

export interface Prediction {
  /** In requests per second; null: the origin was never over the target, so it is at least the busiest interval. */
  readonly capacity: number | null
  readonly capacitySource: 'given' | 'in-time' | 'throughput' | 'unknown'
  /** The busiest interval. */
  readonly busiest: number
  readonly requestsPerVisit: number
  readonly intervals: readonly PredictedInterval[]
  /** Sums over the whole time. */
  readonly asked: number
  readonly refused: number
  readonly secondsOverTarget: number
  readonly secondsRefusing: number
  /** The response time that admitted visitors would have had: that of the busiest intervals within the target. */
  readonly p95Ms: { readonly measured: number | null; readonly predicted: number | null }
}

/**
 * An origin that must answer nearly everybody in time cannot be used to its last request per second. Over the lab's origins the
 * gate holds this part of the highest throughput.
 */
export const USABLE_PART = 0.97

/** Where response times are not known, more errors than this show an overload. */
const MOST_ERRORS = 0.05

export function predict(intervals: readonly Interval[], options: PredictionOptions): Prediction {
  const busy = intervals.filter(({ seconds, requests }) => seconds > 0 && requests > 0)
  const isOver = ({ p95Ms, served, requests, targetMs = options.targetMs }: Interval): boolean =>
    p95Ms === null ? served < (1 - MOST_ERRORS) * requests : p95Ms > targetMs
  const within = busy.filter((one) => !isOver(one))
  const requestsPerVisit =
    options.granularity === 'request' ? 1 : visitLength(busy, (one) => !isOver(one))
  const { capacity, source } = capacityOf(busy, within, options)
  const predicted = intervals.map((one): PredictedInterval => {
    const { atMs, seconds, asked, p95Ms } = one
    const limit = capacity === null ? Number.POSITIVE_INFINITY : capacity / requestsPerVisit
    const admitted = Math.min(asked, limit)
    const refused = asked - admitted
    return { atMs, seconds, asked, admitted, refused, p95Ms, isOverTarget: isOver(one) }
  })
  const sum = (of: (one: PredictedInterval) => number): number =>
    predicted.reduce((total, one) => total + of(one), 0)
  return {
    capacity,
    capacitySource: source,
    busiest: highest(busy, ({ requests }) => requests),
    requestsPerVisit,
    intervals: predicted,
    asked: sum(({ asked, seconds }) => asked * seconds),
    refused: sum(({ refused, seconds }) => refused * seconds),
    secondsOverTarget: sum(({ isOverTarget, seconds }) => (isOverTarget ? seconds : 0)),
    secondsRefusing: sum(({ refused, asked, seconds }) => (refused > 0.01 * asked ? seconds : 0)),
    p95Ms: {
      measured: percentileOver(busy),
      predicted:
        percentileOver(within.filter(({ served }) => served >= 0.7 * (capacity ?? 0))) ??
        percentileOver(within),
    },
  }
}

/** Visits of this many intervals before still make requests, at most. */
const LONGEST_VISIT = 20

/**
 * Requests that a visit makes while the origin is fast. In overload visitors give up and make fewer. The requests of an interval
 * belong to the visits that began in it and shortly before: of all such spans the one that explains the requests best holds.
 */
function visitLength(all: readonly Interval[], isWithin: (one: Interval) => boolean): number {
  let best = { length: meanLength(all.filter(isWithin)), error: Number.POSITIVE_INFINITY }
  for (let span = 1; span <= Math.min(LONGEST_VISIT, all.length / 3); span++) {
    const points = all.flatMap((one, i) => {
      const begun = all.slice(Math.max(0, i - span + 1), i + 1)
      if (begun.length < span || !begun.every(isWithin)) return []
      const asked = begun.reduce((sum, { asked }) => sum + asked, 0) / span
      return [{ asked, requests: one.requests }]
    })
    if (points.length < FEWEST_POINTS) continue
    const sum = (of: (point: (typeof points)[number]) => number): number =>
      points.reduce((total, point) => total + of(point), 0)
    const [xy, xx] = [
      sum(({ asked, requests }) => asked * requests),
      sum(({ asked }) => asked ** 2),
    ]
    const error = 1 - xy ** 2 / (xx * sum(({ requests }) => requests ** 2))
    if (error < best.error) best = { length: xy / xx, error }
  }
  return Math.max(1, best.length)
}

const FEWEST_POINTS = 15

function meanLength(intervals: readonly Interval[]): number {
  const asked = intervals.reduce((sum, one) => sum + one.asked * one.seconds, 0)
  const requests = intervals.reduce((sum, one) => sum + one.requests * one.seconds, 0)
  return asked > 0 ? requests / asked : 1
}

function capacityOf(
  busy: readonly Interval[],
  within: readonly Interval[],
  { capacity: given }: PredictionOptions,
): { readonly capacity: number | null; readonly source: Prediction['capacitySource'] } {
  if (given !== undefined) return { capacity: given, source: 'given' }
  if (within.length === busy.length) return { capacity: null, source: 'unknown' }
  const inTime = highest(within, (one) => one.inTime ?? one.served)
  const throughput = USABLE_PART * highest(busy, ({ served }) => served)
  return inTime >= throughput
    ? { capacity: inTime, source: 'in-time' }
    : { capacity: throughput, source: 'throughput' }
}

/** One interval may be a chance, so of many intervals the busiest time of some of them together counts. */
function highest(intervals: readonly Interval[], of: (one: Interval) => number): number {
  const count = Math.max(1, Math.min(TOGETHER, Math.floor(intervals.length / 10)))
  const values = intervals.map(of)
  let [sum, best] = [0, 0]
  for (const [i, value] of values.entries()) {
    sum += value - (values[i - count] ?? 0)
    if (i >= count - 1) best = Math.max(best, sum / count)
  }
  return best
}

const TOGETHER = 3

/** The 95th percentile of the intervals' own percentiles, by their requests: a careful figure. */
function percentileOver(intervals: readonly Interval[]): number | null {
  const known = intervals
    .filter(({ p95Ms }) => p95Ms !== null)
    .toSorted((a, b) => a.p95Ms! - b.p95Ms!)
  const total = known.reduce((sum, one) => sum + one.requests * one.seconds, 0)
  let passed = 0
  for (const one of known) {
    passed += one.requests * one.seconds
    if (passed >= 0.95 * total) return one.p95Ms
  }
  return known.at(-1)?.p95Ms ?? null
}
