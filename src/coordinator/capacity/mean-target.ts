import { bucketFromMs, type Histogram, histogramTotal, quantileMs } from '../../lib/histogram.ts'

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
