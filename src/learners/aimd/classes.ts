import {
  EMPTY_HISTOGRAM,
  type Histogram,
  histogramTotal,
  isHistogram,
  mergeHistograms,
} from '../../lib/histogram.ts'
import {
  atLeastZero,
  flag,
  nullable,
  number,
  object,
  type StateSchema,
  text,
} from '../../lib/state-schema.ts'
import type { ClassSample } from '../learner-interface.ts'
import { percentileMs } from '../sample.ts'
import {
  decreased,
  inBounds,
  increased,
  type Pace,
  paceOf,
  relativeError,
  smooth,
  startRate,
} from './law.ts'
import type { AimdOptions } from './options.ts'

/** The controller of one class (Welsh and Culler 2003, §3.3). */
export interface AimdClassState {
  readonly key: string
  readonly value: number
  /** null until requests complete. */
  readonly rate: number | null
  /** The fraction of requests to admit, as last decided. */
  readonly probability: number
  /** cur: the smoothed percentile of the response times. */
  readonly currentMs: number | null
  /** lc: runs over the target while all less valuable classes were at the minimum. */
  readonly lowRuns: number
  /** A more valuable class was over its target: the next run may not increase the rate. */
  readonly blocked: boolean
  /** These four count from the last run of this controller. */
  readonly elapsedMs: number
  readonly offered: number
  readonly failed: number
  readonly latency: Histogram
}

export const isAimdClassState: StateSchema = object({
  key: text,
  value: number,
  rate: nullable(atLeastZero),
  probability: (value) => atLeastZero(value) && (value as number) <= 1,
  currentMs: nullable(atLeastZero),
  lowRuns: atLeastZero,
  blocked: flag,
  elapsedMs: atLeastZero,
  offered: atLeastZero,
  failed: atLeastZero,
  latency: isHistogram as StateSchema,
})

/** Adds a tick to the data for the next run of the class's controller. */
export function addToClass(
  known: AimdClassState | undefined,
  tick: ClassSample,
  lengthMs: number,
): AimdClassState {
  const seconds = lengthMs / 1000
  return {
    key: tick.key,
    value: tick.value,
    rate: known?.rate ?? null,
    probability: known?.probability ?? 1,
    currentMs: known?.currentMs ?? null,
    lowRuns: known?.lowRuns ?? 0,
    blocked: known?.blocked ?? false,
    elapsedMs: (known?.elapsedMs ?? 0) + lengthMs,
    offered: (known?.offered ?? 0) + tick.offered * seconds,
    failed: (known?.failed ?? 0) + tick.failures * seconds,
    latency: mergeHistograms(known?.latency ?? EMPTY_HISTOGRAM, tick.latency),
  }
}

/**
 * Runs the controller of the class at `index` if it is due. Classes are in order of value, highest first. The
 * pace is null if the controller did not run, or if no request had completed.
 */
export function runClass(
  classes: readonly AimdClassState[],
  index: number,
  tick: ClassSample,
  served: number,
  o: AimdOptions,
): { readonly classes: readonly AimdClassState[]; readonly pace: Pace | null } {
  const own = classes[index]!
  const completed = own.failed + histogramTotal(own.latency)
  if (own.elapsedMs < o.timeoutMs && completed < o.samples) return { classes, pace: null }
  const cleared = { ...own, elapsedMs: 0, offered: 0, failed: 0, latency: EMPTY_HISTOGRAM }
  const percentile = o.percentile > 0 ? o.percentile : tick.percentile
  const sampleMs = percentileMs(own.latency, own.failed, percentile, tick.targetMs)
  if (sampleMs === null) return { classes: classes.with(index, cleared), pace: null }

  const currentMs = smooth(own.currentMs, sampleMs, o)
  const error = relativeError(currentMs, tick.targetMs)
  const pace = paceOf(error, o)
  // `blocked` applies to one run, whatever that run decides.
  const ran = { ...cleared, currentMs, blocked: false, rate: startOrKeep(own, served, pace, o) }
  if (pace === 'slow' && own.rate !== null)
    return { classes: cutForSlowClass(classes, index, ran, o), pace }
  if (pace !== 'fast' || own.blocked || own.rate === null) {
    return { classes: classes.with(index, ran), pace }
  }
  const offered = own.offered / (own.elapsedMs / 1000)
  const rate = increased(ran.rate, error, offered, o)
  return { classes: classes.with(index, { ...ran, rate, lowRuns: 0 }), pace }
}

function startOrKeep(own: AimdClassState, served: number, pace: Pace, o: AimdOptions): number {
  return own.rate === null ? startRate(served, pace, o) : inBounds(own.rate, o)
}

/**
 * The class is too slow. The rates of all less valuable classes are divided by adjlo_d and may not increase at
 * their next run. If these are already at the minimum, lc counts the runs, and from lc_thresh on the rate of the
 * class itself is divided by adj_d. The least valuable class is cut at once.
 */
function cutForSlowClass(
  classes: readonly AimdClassState[],
  index: number,
  own: AimdClassState & { readonly rate: number },
  o: AimdOptions,
): readonly AimdClassState[] {
  const lesser = classes.filter(({ value }) => value < own.value)
  const allLow = lesser.every(({ rate }) => (rate ?? o.start) <= o.min)
  const lowRuns = lesser.length > 0 && allLow ? own.lowRuns + 1 : 0
  const cutSelf = lesser.length === 0 || (allLow && lowRuns >= o.patience) || o.cutAtOnce
  const rate = cutSelf ? decreased(own.rate, o) : own.rate
  return classes
    .map((other) =>
      other.value < own.value
        ? { ...other, blocked: true, rate: decreased(other.rate ?? o.start, o, o.decreaseLower) }
        : other,
    )
    .with(index, { ...own, rate, lowRuns })
}
