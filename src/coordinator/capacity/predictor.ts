/**
 * Predicts the peak of the session arrival rate for each hour of the day from the days before (Urgaonkar et al. 2008,
 * §5.1). One record holds the rates of one hour. The number of records is bounded.
 */

export interface PredictorOptions {
  /** Which percentile of an hour's rates is its peak. */
  readonly percentile: number
  /** h: the last hours that correct the prediction. */
  readonly correctionHours: number
  /** Length of an "hour". Only the lab uses another. */
  readonly hourMs: number
  readonly hoursPerDay: number
  readonly keepDays: number
}

export const PREDICTOR_DEFAULTS = {
  percentile: 95,
  correctionHours: 3,
  hourMs: 3_600_000,
  hoursPerDay: 24,
  keepDays: 28,
} as const satisfies PredictorOptions

/** The rates of one hour, as counts in logarithmic buckets: a plain JSON value. */
export interface HourRecord {
  /** Hours since 1970. */
  readonly hour: number
  /** Bucket, count, bucket, count, … in ascending order. */
  readonly rates: readonly number[]
}

/** From this many days on, a weekday has a history of its own. */
const DAYS_FOR_WEEKDAYS = 14
const DAYS_PER_WEEK = 7
/** Buckets are 2.2 % wide, from 0.001 to about 4 million per second. */
const PER_OCTAVE = 32
const LEAST_RATE = 0.001
const RATE_BUCKETS = 32 * PER_OCTAVE

export class Predictor {
  readonly #options: PredictorOptions
  readonly #hours = new Map<number, Map<number, number>>()

  constructor(options: Partial<PredictorOptions> = {}, stored: Iterable<unknown> = []) {
    this.#options = { ...PREDICTOR_DEFAULTS, ...options }
    for (const record of stored) if (isHourRecord(record)) this.restore(record)
  }

  /** Takes a record from storage or from an access log. It replaces the one of the same hour. */
  restore({ hour, rates }: HourRecord): void {
    const counts = new Map<number, number>()
    for (let i = 0; i < rates.length; i += 2) counts.set(rates[i]!, rates[i + 1]!)
    this.#hours.set(hour, counts)
  }

  /** Adds the rate of a minute, or of another short time. Returns the record of its hour, to be stored. */
  observe(rate: number, atMs: number): HourRecord {
    const hour = this.hourOf(atMs)
    const counts = this.#hours.get(hour) ?? new Map<number, number>()
    const bucket = rateBucketOf(rate)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    this.#hours.set(hour, counts)
    return { hour, rates: [...counts].toSorted(([a], [b]) => a - b).flat() }
  }

  /** Forgets records that are too old. Returns the first hour that is kept. */
  forget(atMs: number): number {
    const { keepDays, hoursPerDay } = this.#options
    const first = this.hourOf(atMs) - keepDays * hoursPerDay
    for (const hour of this.#hours.keys()) if (hour < first) this.#hours.delete(hour)
    return first
  }

  /** The peak of the hour at this time, corrected by the errors of the last hours; null: no history. */
  peak(atMs: number): number | null {
    const hour = this.hourOf(atMs)
    const raw = this.#rawPeak(hour)
    return raw === null ? null : raw + this.#correction(hour)
  }

  /** Without the correction. */
  rawPeak(atMs: number): number | null {
    return this.#rawPeak(this.hourOf(atMs))
  }

  /** The highest peak of the hours from one time to another. */
  highestPeak(fromMs: number, toMs: number): number | null {
    let highest: number | null = null
    const now = this.hourOf(fromMs)
    for (let hour = now; hour <= this.hourOf(toMs); hour++) {
      const raw = this.#rawPeak(hour)
      if (raw !== null) highest = Math.max(highest ?? 0, raw + this.#correction(now))
    }
    return highest
  }

  hourOf(atMs: number): number {
    return Math.floor(atMs / this.#options.hourMs)
  }

  get records(): number {
    return this.#hours.size
  }

  /** A high percentile of what earlier days saw in this hour. */
  #rawPeak(hour: number): number | null {
    const { hoursPerDay, keepDays, percentile } = this.#options
    const before: Map<number, number>[] = []
    const sameWeekday: Map<number, number>[] = []
    for (let days = 1; days <= keepDays; days++) {
      const counts = this.#hours.get(hour - days * hoursPerDay)
      if (counts === undefined) continue
      before.push(counts)
      if (days % DAYS_PER_WEEK === 0) sameWeekday.push(counts)
    }
    const isEnough = before.length >= DAYS_FOR_WEEKDAYS && sameWeekday.length >= 2
    return percentileOf(isEnough ? sameWeekday : before, percentile)
  }

  /**
   * The mean positive error of the last hours, against the raw prediction: against the corrected one it would remove
   * only half of an error that lasts.
   */
  #correction(hour: number): number {
    const { correctionHours, percentile } = this.#options
    let sum = 0
    for (let i = hour - correctionHours; i < hour; i++) {
      const counts = this.#hours.get(i)
      const predicted = this.#rawPeak(i)
      if (counts === undefined || predicted === null) continue
      sum += Math.max(0, (percentileOf([counts], percentile) ?? 0) - predicted)
    }
    return correctionHours > 0 ? sum / correctionHours : 0
  }
}

function percentileOf(
  all: readonly ReadonlyMap<number, number>[],
  percentile: number,
): number | null {
  const counts = new Map<number, number>()
  let total = 0
  for (const one of all)
    for (const [bucket, count] of one) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + count)
      total += count
    }
  if (total === 0) return null
  let left = Math.ceil((percentile / 100) * total)
  for (const bucket of [...counts.keys()].toSorted((a, b) => a - b)) {
    left -= counts.get(bucket)!
    if (left <= 0) return rateOfBucket(bucket)
  }
  return null
}

function rateBucketOf(rate: number): number {
  if (!(rate >= LEAST_RATE)) return 0
  const bucket = 1 + Math.round(PER_OCTAVE * Math.log2(rate / LEAST_RATE))
  return Math.min(RATE_BUCKETS, bucket)
}

const rateOfBucket = (bucket: number): number =>
  bucket === 0 ? 0 : LEAST_RATE * 2 ** ((bucket - 1) / PER_OCTAVE)

/** Checks a record from storage. */
export function isHourRecord(value: unknown): value is HourRecord {
  if (typeof value !== 'object' || value === null) return false
  const { hour, rates } = value as Partial<HourRecord>
  if (!Number.isSafeInteger(hour) || !Array.isArray(rates) || rates.length % 2 !== 0) return false
  return rates.every(
    (cell: unknown, i) =>
      Number.isSafeInteger(cell) &&
      (cell as number) >= 0 &&
      (i % 2 === 1 || (cell as number) <= RATE_BUCKETS),
  )
}
