import {
  bucketFromMs,
  type Histogram,
  histogramTotal,
  isHistogram,
  quantileMs,
} from '../lib/histogram.ts'
import { atLeastZero, list, number, optional, type StateSchema, text } from '../lib/state-schema.ts'
import type { CapacityEvent, ClassSample, Rates, Sample, TierSample } from './learner-interface.ts'

/** No real measurement of one tick is larger than this, or smaller than its inverse. */
const LARGEST_AMOUNT = 1e12
const SMALLEST_AMOUNT = 1 / LARGEST_AMOUNT

const amount: StateSchema = (value) =>
  value === 0 ||
  (number(value) && (value as number) > SMALLEST_AMOUNT && (value as number) < LARGEST_AMOUNT)

const histogram: StateSchema = (value) =>
  isHistogram(value) && histogramTotal(value) < LARGEST_AMOUNT

/**
 * Every learner checks a sample with this function before it computes anything. A sample that fails (NaN, infinity,
 * a negative count, a tick shorter than 1 ms, a histogram of another version) leaves the learner unchanged.
 */
export function isUsableSample(sample: Sample): boolean {
  return (
    typeof sample === 'object' &&
    sample !== null &&
    amount(sample.lengthMs) &&
    sample.lengthMs >= 1 &&
    (sample.granularity === 'session' || sample.granularity === 'request') &&
    isRates(sample.offered) &&
    isRates(sample.admitted) &&
    amount(sample.goodput) &&
    amount(sample.failures) &&
    optional(amount)(sample.abandoned) &&
    amount(sample.inFlight) &&
    list(isTier as StateSchema)(sample.tiers) &&
    list(isClass as StateSchema)(sample.classes) &&
    list(amount)(sample.ages) &&
    optional(list(amount))(sample.ended) &&
    list(isCapacityEvent as StateSchema)(sample.capacity) &&
    optional(amount)(sample.deadTimeMs) &&
    optional(amount)(sample.told) &&
    optional(amount)(sample.knownPeak)
  )
}

function isRates(rates: Rates): boolean {
  return amount(rates?.sessions) && amount(rates?.requests)
}

function isTier(tier: TierSample): boolean {
  return (
    text(tier?.name) &&
    isTarget(tier.percentile, tier.targetMs) &&
    amount(tier.windowMs) &&
    tier.windowMs > 0 &&
    amount(tier.completed) &&
    amount(tier.late) &&
    tier.late <= tier.completed &&
    atLeastZero(tier.latencyUs) &&
    histogram(tier.latency)
  )
}

function isClass(sample: ClassSample): boolean {
  return (
    text(sample?.key) &&
    number(sample.value) &&
    isTarget(sample.percentile, sample.targetMs) &&
    amount(sample.offered) &&
    amount(sample.admitted) &&
    amount(sample.failures) &&
    histogram(sample.latency)
  )
}

function isCapacityEvent(event: CapacityEvent): boolean {
  return amount(event?.before) && amount(event?.after)
}

function isTarget(percentile: number, targetMs: number): boolean {
  return (
    number(percentile) && percentile > 0 && percentile < 100 && amount(targetMs) && targetMs > 0
  )
}

/** The rate in the unit of the limit. */
export function rateOf(rates: Rates, granularity: Sample['granularity']): number {
  return granularity === 'session' ? rates.sessions : rates.requests
}

/** How many of the tier's completed requests failed. */
export function failedOf(tier: TierSample): number {
  return Math.max(0, tier.completed - histogramTotal(tier.latency))
}

/**
 * A percentile of the completed requests. Failures rank above every served request. A percentile that falls among
 * them is at least twice the target: over the target, but finite. null: no request completed.
 */
export function percentileMs(
  latency: Histogram,
  failed: number,
  percentile: number,
  targetMs: number,
): number | null {
  const served = histogramTotal(latency)
  if (served + failed === 0) return null
  const rank = (percentile / 100) * (served + failed)
  if (rank <= served && served > 0) return quantileMs(latency, rank / served)
  const slowest = served === 0 ? 0 : bucketFromMs(latency[latency.length - 2]! + 1)
  return Math.max(slowest, 2 * targetMs)
}

/** The fraction of admitted requests that the origin kept up with; 1 if none was admitted. */
export function keptUpFraction({ admitted, goodput }: Sample): number {
  return admitted.requests > 0 ? Math.min(1, goodput / admitted.requests) : 1
}

/** The admitted rate that the origin kept up with, in the unit of the limit. */
export function keptUpRateOf(sample: Sample): number {
  return rateOf(sample.admitted, sample.granularity) * keptUpFraction(sample)
}

/** A larger ratio is a mistake in the units and is ignored. */
export const LARGEST_RATIO = 1000

/** The product of all ρ announced in a tick; 1 if there was no usable announcement. */
export function capacityRatio(events: readonly CapacityEvent[]): number {
  return events.reduce((ratio, { before, after }) => {
    const isUsable =
      after * LARGEST_RATIO >= before && before * LARGEST_RATIO >= after && before > 0
    return isUsable ? (ratio * after) / before : ratio
  }, 1)
}
