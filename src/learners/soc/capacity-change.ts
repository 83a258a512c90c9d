import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * Has the origin changed without anybody saying so? Two cumulative sums (Page's test) of how far measured
 * response times are from what the curve foretells: one for slower, one for faster.
 */
export interface ChangeWatch {
  readonly slower: number
  readonly faster: number
  /** How far ln(RT) usually is from the curve. */
  readonly spread: number
}

export const isChangeWatch: StateSchema = object({
  slower: atLeastZero,
  faster: atLeastZero,
  spread: atLeastZero,
})

/**
 * Half a deviation is taken as chance. At 7 the sums call falsely about once in 2000 iterations of noise, and
 * at the second of two wild values: one alone is not enough.
 */
const DRIFT = 0.5
const ALARM = 7
const WILDEST = 4
const WILD = 3

/** Response times near saturation scatter by a third; the watch learns the route's own figure from there. */
const FIRST_SPREAD = 0.3
const LEAST_SPREAD = 0.1
const SPREAD_WEIGHT = 0.05
const TELLING = 2

export const QUIET: ChangeWatch = { slower: 0, faster: 0, spread: FIRST_SPREAD }

export interface WatchedChange {
  readonly watch: ChangeWatch
  readonly found: 'slower' | 'faster' | null
  /** So far off that it is either a transient or the first sign of a change: not to be learned from yet. */
  readonly wild: boolean
}

export function watchChange(
  watch: ChangeWatch,
  measuredMs: number,
  foretoldMs: number,
): WatchedChange {
  if (!(measuredMs > 0 && foretoldMs > 0)) return { watch, found: null, wild: false }
  const apart = Math.log(measuredMs / foretoldMs)
  const deviation = Math.max(-WILDEST, Math.min(WILDEST, apart / watch.spread))
  const slower = Math.max(0, watch.slower + deviation - DRIFT)
  const faster = Math.max(0, watch.faster - deviation - DRIFT)
  // A wild value must not blunt the watch for the next one.
  const square = Math.min(Math.abs(deviation), TELLING) ** 2
  const factor = Math.sqrt(1 + SPREAD_WEIGHT * (square - 1))
  const spread = Math.max(LEAST_SPREAD, watch.spread * factor)
  const wild = Math.abs(deviation) >= WILD
  if (slower >= ALARM) return { watch: { ...QUIET, spread }, found: 'slower', wild }
  if (faster >= ALARM) return { watch: { ...QUIET, spread }, found: 'faster', wild }
  return { watch: { slower, faster, spread }, found: null, wild }
}

/** The change by which the curve, stretched along its rates, would pass through the pair; within bounds. */
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
