import {
  bucketFromMs,
  type Histogram,
  histogramTotal,
  isHistogram,
  quantileMs,
} from '../lib/histogram.ts'
import { atLeastZero, list, number, type StateSchema, text } from '../lib/state-schema.ts'
import type { CapacityEvent, ClassSample, Rates, Sample, TierSample } from './learner.ts'

/** More than this of anything in one tick is no measurement, nor is anything smaller than its inverse. */
const ABSURD = 1e12
const TRIFLING = 1 / ABSURD

const amount: StateSchema = (value) =>
  value === 0 || (number(value) && (value as number) > TRIFLING && (value as number) < ABSURD)

const histogram: StateSchema = (value) => isHistogram(value) && histogramTotal(value) < ABSURD

/**
 * The guard of all learners: may this sample reach the arithmetic? What fails it (NaN, infinities, negative
 * counts, a tick shorter than 1 ms, a histogram of another version) leaves a learner as it was.
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
    amount(sample.inFlight) &&
    list(isTier as StateSchema)(sample.tiers) &&
    list(isClass as StateSchema)(sample.classes) &&
    list(amount)(sample.ages) &&
    list(isCapacityEvent as StateSchema)(sample.capacity)
  )
}

function isRates(rates: Rates): boolean {
  return amount(rates?.sessions) && amount(rates?.requests)
}

function isTier(tier: TierSample): boolean {
  return (
    text(tier?.name) &&
    isPromise(tier.percentile, tier.targetMs) &&
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
    isPromise(sample.percentile, sample.targetMs) &&
    amount(sample.offered) &&
    amount(sample.admitted) &&
    amount(sample.failures) &&
    histogram(sample.latency)
  )
}

function isCapacityEvent(event: CapacityEvent): boolean {
  return amount(event?.before) && amount(event?.after)
}

function isPromise(percentile: number, targetMs: number): boolean {
  return (
    number(percentile) && percentile > 0 && percentile < 100 && amount(targetMs) && targetMs > 0
  )
}

/** The part of the rates that the limit counts. */
export function rateOf(rates: Rates, granularity: Sample['granularity']): number {
  return granularity === 'session' ? rates.sessions : rates.requests
}

/** Of the tier's completions, those that failed. */
export function failedOf(tier: TierSample): number {
  return Math.max(0, tier.completed - histogramTotal(tier.latency))
}

/**
 * A percentile of what came to an end, where failures stand at the top: above every time that was served,
 * and at twice the target at the least, so that one of them is over the target without being endless.
 * null: nothing came to an end.
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

/** The part of what was let in that the origin kept up with; 1 where nothing was let in. */
export function keptUp({ admitted, goodput }: Sample): number {
  return admitted.requests > 0 ? Math.min(1, goodput / admitted.requests) : 1
}

/** The admitted rate as far as the origin kept up with it, in the unit of the limit. */
export function servedOf(sample: Sample): number {
  return rateOf(sample.admitted, sample.granularity) * keptUp(sample)
}

/** No origin becomes a thousand times as large: a slip of units, better ignored. */
const LARGEST_RATIO = 1000

/** ρ of all the changes announced in a tick; 1 where there were none, or none that says how much. */
export function capacityRatio(events: readonly CapacityEvent[]): number {
  return events.reduce((ratio, { before, after }) => {
    const known = after * LARGEST_RATIO >= before && before * LARGEST_RATIO >= after && before > 0
    return known ? (ratio * after) / before : ratio
  }, 1)
}
