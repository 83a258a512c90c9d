import {
  bucketFromMs,
  EMPTY_HISTOGRAM,
  type Histogram,
  histogramTotal,
  mergeHistograms,
  quantileMs,
} from '../../lib/histogram.ts'
import { strictestAt, targetMsAt } from '../sla-target.ts'
import type { LoadMeasure } from './load-measure.ts'
import type { PlannedSla } from './origin-slas.ts'

/** The model works with mean response times, but the SLA has a percentile (Urgaonkar et al. 2008, §8.1). */

/** With fewer samples the distribution is not known well enough. */
const LEAST_SAMPLES = 200

/**
 * The mean of a distribution of the measured shape that has its percentile at the target. Without enough samples the
 * shape is exponential: a 95th percentile of 2 s is then a mean of 668 ms.
 */
export function meanTargetMs(targetMs: number, percentile: number, measured: Histogram): number {
  const exponential = -1 / Math.log(1 - percentile / 100)
  if (histogramTotal(measured) < LEAST_SAMPLES) return targetMs * exponential
  const quantile = quantileMs(measured, percentile / 100)
  const mean = meanMs(measured)
  return quantile !== null && quantile > 0
    ? targetMs * Math.min(1, mean / quantile)
    : targetMs * exponential
}

/** The response times that one SLA judges, and its row in force. */
export interface JudgedResponses {
  readonly percentile: number
  readonly targetMs: number
  readonly measured: Histogram
}

/** Of the routes' SLAs the strictest counts, as their classes are measured together. Each class's own counts for itself. */
export function judgedResponses(
  slas: readonly PlannedSla[],
  rate: number,
  { responses, own }: LoadMeasure,
): readonly JudgedResponses[] {
  const ofRoutes = slas.filter(({ ofClass }) => ofClass === undefined)
  const ofClasses = slas.filter(({ ofClass }) => ofClass !== undefined)
  const strictest = ofRoutes.length === 0 ? [] : [strictestAt(ofRoutes, rate)]
  return [...strictest, ...ofClasses].map((sla) => ({
    percentile: sla.percentile,
    targetMs: targetMsAt(sla, rate),
    measured: sla.ofClass === undefined ? responses : (own?.[sla.ofClass] ?? EMPTY_HISTOGRAM),
  }))
}

/**
 * The mean over all requests at which each SLA is kept; 0: the work of a class alone takes longer than its target. Requests
 * of all classes wait alike for the same servers. The work on a request, `workMs` on average, differs between classes as
 * their response times do.
 */
export function jointMeanTargetMs(all: readonly JudgedResponses[], workMs: number): number {
  const mixed = meanMs(
    all.reduce((sum, { measured }) => mergeHistograms(sum, measured), EMPTY_HISTOGRAM),
  )
  const means = all.map(({ targetMs, percentile, measured }) => {
    const isKnown = histogramTotal(measured) >= LEAST_SAMPLES
    const part = isKnown ? meanMs(measured) / mixed : 1
    // The class may wait for its mean target without its own work.
    return meanTargetMs(targetMs, percentile, measured) + (1 - part) * workMs
  })
  return Math.max(0, Math.min(...means))
}

export function meanMs(histogram: Histogram): number {
  return momentMs(histogram, 1) / Math.max(1, histogramTotal(histogram))
}

/** The squared coefficient of variation; 0 for an empty histogram. */
export function variabilityOf(histogram: Histogram): number {
  const total = histogramTotal(histogram)
  if (total === 0) return 0
  const mean = momentMs(histogram, 1) / total
  const square = momentMs(histogram, 2) / total
  return mean > 0 ? Math.max(0, square / (mean * mean) - 1) : 0
}

/** Each bucket counts with its middle. */
function momentMs(histogram: Histogram, power: number): number {
  let sum = 0
  for (let i = 0; i < histogram.length; i += 2) {
    const bucket = histogram[i]!
    sum += histogram[i + 1]! * ((bucketFromMs(bucket) + bucketFromMs(bucket + 1)) / 2) ** power
  }
  return sum
}

/**
 * d_i: the tier's part of the mean target. Parts that the configuration sets are kept. The others share the rest in
 * proportion to their measured times, so that every tier has the same room for queueing relative to its work.
 */
export function partsOf(
  tiers: readonly { readonly part: number | null; readonly timeMs: number }[],
): readonly number[] {
  const set = tiers.reduce((sum, { part }) => sum + (part ?? 0), 0)
  const open = tiers.filter(({ part }) => part === null)
  const timeMs = open.reduce((sum, tier) => sum + tier.timeMs, 0)
  const rest = Math.max(0, 1 - set)
  return tiers.map(({ part, timeMs: own }) => {
    if (part !== null) return part
    return timeMs > 0 ? (rest * own) / timeMs : rest / open.length
  })
}
