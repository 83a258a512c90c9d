import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * Detects a change of the origin that nobody announced. Two cumulative sums (Page's test) add up how far measured
 * response times are from the curve: one for a slower origin, one for a faster one.
 */
export interface ChangeWatch {
  readonly slower: number
  readonly faster: number
  /** Usual distance of ln(RT) from the curve. */
  readonly spread: number
}

export const isChangeWatch: StateSchema = object({
  slower: atLeastZero,
  faster: atLeastZero,
  spread: atLeastZero,
})

/**
 * A deviation is ignored as chance, because those of neighbouring iterations are alike: a queue lasts, and sessions
 * act late. On the plant of Bartolini et al. 2009, §7 (20 servers, 5 s, 3 sessions/s) there is at most one false alarm in
 * 1000 iterations. Three outliers in a row raise the alarm, one does not.
 */
const DRIFT = 1
const ALARM = 11
const LARGEST_DEVIATION = 6
const OUTLIER_FROM = 3

/** Response times near saturation vary by about a third. From there the route's own spread is learned. */
const INITIAL_SPREAD = 0.3
const SMALLEST_SPREAD = 0.1
const SPREAD_WEIGHT = 0.05
/** A deviation counts up to this in the spread, so that an outlier does not hide the next one. */
const LARGEST_IN_SPREAD = 2

export const NO_CHANGE: ChangeWatch = { slower: 0, faster: 0, spread: INITIAL_SPREAD }

interface WatchedChange {
  readonly watch: ChangeWatch
  readonly found: 'slower' | 'faster' | null
  /** So far off that it is a transient or the first sign of a change. It is not learned from yet. */
  readonly outlier: boolean
}

export function watchChange(
  watch: ChangeWatch,
  measuredMs: number,
  predictedMs: number,
): WatchedChange {
  if (!(measuredMs > 0 && predictedMs > 0)) return { watch, found: null, outlier: false }
  const distance = Math.log(measuredMs / predictedMs)
  const deviation = Math.max(
    -LARGEST_DEVIATION,
    Math.min(LARGEST_DEVIATION, distance / watch.spread),
  )
  const slower = Math.max(0, watch.slower + deviation - DRIFT)
  const faster = Math.max(0, watch.faster - deviation - DRIFT)
  const square = Math.min(Math.abs(deviation), LARGEST_IN_SPREAD) ** 2
  const factor = Math.sqrt(1 + SPREAD_WEIGHT * (square - 1))
  const spread = Math.max(SMALLEST_SPREAD, watch.spread * factor)
  const outlier = Math.abs(deviation) >= OUTLIER_FROM
  if (slower >= ALARM) return { watch: { ...NO_CHANGE, spread }, found: 'slower', outlier }
  if (faster >= ALARM) return { watch: { ...NO_CHANGE, spread }, found: 'faster', outlier }
  return { watch: { slower, faster, spread }, found: null, outlier }
}

/** The factor, within bounds, by which the rates of the curve must be scaled for the curve to meet the pair. */
export function ratioFrom(rate: number, equalRate: number, found: 'slower' | 'faster'): number {
  const ratio = equalRate > 0 ? rate / equalRate : Number.POSITIVE_INFINITY
  return found === 'slower'
    ? Math.min(SMALLEST_CHANGE_DOWN, Math.max(LARGEST_CHANGE_DOWN, ratio))
    : Math.max(SMALLEST_CHANGE_UP, Math.min(LARGEST_CHANGE_UP, ratio))
}

const LARGEST_CHANGE_DOWN = 0.5
const SMALLEST_CHANGE_DOWN = 0.95
const SMALLEST_CHANGE_UP = 1.05
const LARGEST_CHANGE_UP = 1.5
