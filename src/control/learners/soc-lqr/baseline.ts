import { bucketFromMs, type Histogram, histogramTotal, quantileMs } from '../../../histogram.ts'
import { atLeastZero, list, object, type Shape } from '../../shape.ts'

/** Response times of one tier without queueing: S0, and the distribution for P0 and the tail. */
export interface Baseline {
  /** S0 in seconds. */
  readonly meanS: number
  /** Completions seen; 0: nothing known. */
  readonly seen: number
  readonly shape: Histogram
}

export const NO_BASELINE: Baseline = { meanS: 0, seen: 0, shape: [] }

export const isBaseline: Shape = object({
  meanS: atLeastZero,
  seen: atLeastZero,
  shape: list(atLeastZero),
})

export interface BaselineEvidence {
  readonly meanS: number
  readonly served: number
  readonly latency: Histogram
  readonly targetS: number
  /** Wait in units of half the slack. */
  readonly queueing: number
  /** More over the target than is aimed at. */
  readonly late: boolean
}

/** The first completions of a cold start are the short ones: they are forgotten within so many. */
const FIRST = 500
const MOST_SEEN = 1e6
const CALM = 0.25
const CREEP = 0.02
const SLOW_CREEP = 0.004
const FALL = 0.15
const SHAPE_MEMORY = 2000

/**
 * Falls readily and rises slowly, and only while little waits: queueing must not pass for slow service. A
 * service that became slower for good is believed in the end, as long as the target is kept.
 */
export function observeBaseline(baseline: Baseline, evidence: BaselineEvidence): Baseline {
  const { served, targetS } = evidence
  const meanS = Math.min(evidence.meanS, targetS / 2)
  const seen = Math.min(baseline.seen + served, MOST_SEEN)
  const first = baseline.seen < FIRST
  const up = meanS > baseline.meanS
  if (up && baseline.seen > 0 && evidence.queueing >= CALM) {
    if (evidence.late || first) return { ...baseline, seen }
    return { ...baseline, meanS: Math.min(meanS, baseline.meanS * (1 + SLOW_CREEP)) }
  }
  const part = first ? served / (baseline.seen + served) : up ? CREEP : FALL
  return {
    meanS: baseline.meanS + part * (meanS - baseline.meanS),
    seen,
    shape: blend(baseline.shape, evidence.latency),
  }
}

function blend(old: Histogram, fresh: Histogram): Histogram {
  const total = histogramTotal(old) + histogramTotal(fresh)
  const keep = total > SHAPE_MEMORY ? Math.max(0, 1 - histogramTotal(fresh) / SHAPE_MEMORY) : 1
  const cells = new Map<number, number>()
  for (let i = 0; i < old.length; i += 2) cells.set(old[i]!, old[i + 1]! * keep)
  for (let i = 0; i < fresh.length; i += 2) {
    cells.set(fresh[i]!, (cells.get(fresh[i]!) ?? 0) + fresh[i + 1]!)
  }
  return [...cells]
    .filter(([, count]) => count >= 0.05)
    .sort(([a], [b]) => a - b)
    .flatMap(([bucket, count]) => [bucket, Number(count.toPrecision(4))])
}

/** The time that all but `share` of the requests stay below without queueing, in seconds. */
export function baselineTailS({ shape, meanS }: Baseline, share: number): number {
  const ms = quantileMs(shape, 1 - share)
  return ms === null ? meanS * -Math.log(share) : ms / 1000
}

/** Squared coefficient of variation of the response time without queueing; 1 as long as nothing is known. */
export function baselineVariation({ shape }: Baseline): number {
  let total = 0
  let sum = 0
  let squares = 0
  for (let i = 0; i < shape.length; i += 2) {
    const ms = (bucketFromMs(shape[i]!) + bucketFromMs(shape[i]! + 1)) / 2
    total += shape[i + 1]!
    sum += shape[i + 1]! * ms
    squares += shape[i + 1]! * ms * ms
  }
  return sum > 0 ? Math.max(0, (squares * total) / (sum * sum) - 1) : 1
}
