import { atLeastZero, flag, list, number, objectWith } from '../../lib/state-schema.ts'
import type { ClassFeedback } from '../../protocol/feedback.ts'
import type { QueuePlan } from '../../protocol/queue-plan.ts'
import { type EstimateState, estimatesAfter, FIRST_ESTIMATES } from './estimates.ts'
import {
  type Bucket,
  bucketsOf,
  countsAfter,
  NO_COUNTS,
  type WaitingCounts,
} from './waiting-counts.ts'
import { type WatermarkState, watermarkAfter, weighted } from './watermark.ts'

/** The waiting room of one class in the coordinator: a plain JSON value, of bounded size. */
export interface QueueState {
  readonly counts: WaitingCounts
  readonly mark: WatermarkState
  readonly estimates: EstimateState
  /** Nobody waits beyond the watermark. */
  readonly isDirect: boolean
  /** As isolates are told: key and number of places up to it, alternating. */
  readonly ahead?: readonly number[]
}

export const EMPTY_QUEUE: QueueState = {
  counts: NO_COUNTS,
  mark: { watermark: 0, called: 0, credit: 0 },
  estimates: FIRST_ESTIMATES,
  isDirect: true,
}

/** Fewer places than this is nobody. */
const NOBODY = 0.5
/** Points of the table from which isolates read a place. */
const MOST_POINTS = 32

export interface QueueTick {
  readonly feedback: ClassFeedback
  /** Entries per second that the class may have; null: any number. */
  readonly rate: number | null
  readonly seconds: number
  readonly nowMs: number
}

/** The waiting room after a tick: counts, watermark, estimates. */
export function queueAfter(
  state: QueueState,
  { feedback, rate, seconds, nowMs }: QueueTick,
): QueueState {
  const { places = {}, fresh = {} } = feedback
  const nowS = nowMs / 1000
  const { counts, expired } = countsAfter(state.counts, places, fresh, nowS)
  if (counts.cells.length === 0 && state.counts.cells.length === 0) return emptied(state)
  const { returns, shows } = state.estimates
  const buckets = bucketsOf(counts, nowS)
  // A bucket may be called in part. What dropped out of it counts as called.
  const isCalled = (fromS: number): boolean => fromS < state.mark.watermark
  const lost = { fresh: 0, waiting: 0, called: 0 }
  const lostByBucket = new Map<number, number>()
  for (const { fromS, places, fresh } of expired) {
    lost.fresh += fresh
    lost[isCalled(fromS) ? 'called' : 'waiting'] += places
    lostByBucket.set(fromS, places + returns * fresh)
  }
  const mark = watermarkAfter(state.mark, {
    before: weighted(bucketsOf(state.counts, nowS), returns),
    after: weighted(buckets, returns),
    expired: lostByBucket,
    ...{ rate, shows, seconds, nowS, entered: feedback.admitted },
  })
  const beyond = placesBeyond(buckets, mark, returns)
  return {
    counts,
    mark,
    isDirect: beyond < NOBODY,
    ahead: thinned(pointsOf(buckets, mark, returns)),
    estimates: estimatesAfter(state.estimates, {
      seconds,
      entered: feedback.byTicket,
      returned: feedback.returned,
      early: feedback.promiseEarly,
      kept: feedback.promiseKept,
      late: feedback.promiseLate,
      freshLost: lost.fresh,
      waitingLost: lost.waiting,
      calledLost: lost.called,
      waiting: beyond,
      allowed: rate,
      isBinding: beyond >= NOBODY,
    }),
  }
}

/** Nobody waits. What was learned about visitors and the watermark stay. */
function emptied(state: QueueState): QueueState {
  if (state.mark.called === 0 && state.mark.credit === 0 && state.isDirect) return state
  return { ...state, mark: { ...state.mark, called: 0, credit: 0 }, isDirect: true }
}

/** All tickets that are expected to enter. */
export function expectedEntries({ counts, estimates }: QueueState): number {
  let sum = 0
  for (const { tickets } of weighted(bucketsOf(counts, 0), estimates.returns)) sum += tickets
  return sum
}

/** People who wait: tickets that came back and were seen lately. */
export function placesIn({ counts }: QueueState): number {
  return bucketsOf(counts, 0).reduce((sum, { places }) => sum + places, 0)
}

/** What isolates are told; null: nobody waits. `limit`: entries per second that the class may have. */
export function queuePlanOf(
  { counts, mark, estimates, isDirect, ahead }: QueueState,
  limit: number | null,
): QueuePlan | null {
  if (counts.cells.length === 0) return null
  return {
    watermark: mark.watermark,
    isDirect,
    limit: limit === null ? null : rounded(limit),
    bucketS: counts.widthS,
    ahead: ahead ?? [mark.watermark, 0],
    rate: rounded(estimates.rate),
    leaving: rounded(estimates.leaving),
    low: rounded(estimates.low),
    high: rounded(estimates.high),
  }
}

interface Point {
  readonly keyS: number
  readonly count: number
}

/**
 * How many tickets there are up to the end of each bucket, beyond the watermark. New tickets count by the part that usually
 * comes back, until they have missed their first refresh: without them the first to come back would be told a place that
 * is far too low.
 */
function pointsOf(
  buckets: readonly Bucket[],
  mark: WatermarkState,
  returns: number,
): readonly Point[] {
  const points: Point[] = [{ keyS: mark.watermark, count: 0 }]
  let count = 0
  for (const { fromS, toS, places, young, part } of beyondWatermark(buckets, mark, returns)) {
    if (fromS > points.at(-1)!.keyS) points.push({ keyS: fromS, count })
    count += (places + returns * young) * part
    points.push({ keyS: toS, count })
  }
  return points
}

/** Places that are not called. New tickets may be bots, which must not keep visitors from being drawn. */
function placesBeyond(buckets: readonly Bucket[], mark: WatermarkState, returns: number): number {
  return beyondWatermark(buckets, mark, returns).reduce(
    (sum, { places, part }) => sum + places * part,
    0,
  )
}

/** The buckets beyond the watermark, each with the part of its tickets that is not called. */
function beyondWatermark(
  buckets: readonly Bucket[],
  { watermark, called }: WatermarkState,
  returns: number,
): readonly (Bucket & { readonly part: number })[] {
  let below = 0
  return buckets.flatMap((bucket) => {
    const { fromS, toS, places, fresh } = bucket
    const tickets = places + returns * fresh
    if (toS <= watermark) {
      below += tickets
      return []
    }
    const calledHere = fromS < watermark ? Math.min(tickets, Math.max(0, called - below)) : 0
    return [{ ...bucket, part: tickets > 0 ? 1 - calledHere / tickets : 0 }]
  })
}

/** Evenly chosen points, with the first and the last. */
function thinned(points: readonly Point[]): readonly number[] {
  const step = Math.max(1, (points.length - 1) / (MOST_POINTS - 1))
  const chosen: number[] = []
  for (let i = 0; i < points.length - 1; i += step) {
    const { keyS, count } = points[Math.floor(i)]!
    chosen.push(keyS, rounded(count))
  }
  const last = points.at(-1)!
  return [...chosen, last.keyS, rounded(last.count)]
}

/** Plans go to every isolate, so their numbers are short. */
const rounded = (value: number): number => Number(value.toPrecision(6))

/** The form of a stored queue. */
export const isQueueState = objectWith({
  counts: objectWith({ widthS: atLeastZero, cells: list(atLeastZero) }),
  mark: objectWith({ watermark: atLeastZero, called: atLeastZero, credit: number }),
  estimates: objectWith({ returns: atLeastZero, shows: atLeastZero, rate: atLeastZero }),
  isDirect: flag,
})
