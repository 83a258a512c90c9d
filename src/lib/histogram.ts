/**
 * Response times in fixed, logarithmic buckets. Two histograms merge by adding their counts, which is exact, so
 * isolates, relays and the coordinator can merge them in any order.
 *
 * There are 16 buckets per octave from 1 ms to 131 s. A bucket is 4.4 % wide.
 */

const PER_OCTAVE = 16
const OCTAVES = 17

/** Bucket 0 is for times below 1 ms, the last bucket for 131 s or more. */
export const HISTOGRAM_BUCKETS = OCTAVES * PER_OCTAVE + 2

/** Bucket, count, bucket, count, …, in ascending order of buckets, without empty buckets. */
export type Histogram = readonly number[]

export const EMPTY_HISTOGRAM: Histogram = []

export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0
  // Clocks count in whole milliseconds, and a look-up is faster than a logarithm.
  if (ms >= WHOLE_MS.length || !Number.isInteger(ms)) return computedBucketOf(ms)
  WHOLE_MS[ms] ||= computedBucketOf(ms)
  return WHOLE_MS[ms]!
}

/** Buckets of whole milliseconds; 0: not computed yet. */
const WHOLE_MS = new Uint16Array(1024)

function computedBucketOf(ms: number): number {
  const bucket = 1 + Math.floor(Math.log2(ms) * PER_OCTAVE)
  return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1
}

/** Lower end of a bucket. Its upper end is the lower end of the next bucket. */
export function bucketFromMs(bucket: number): number {
  return bucket === 0 ? 0 : 2 ** ((bucket - 1) / PER_OCTAVE)
}

/** From an array with a count for each bucket. */
export function toHistogram(counts: ArrayLike<number>): Histogram {
  const cells: number[] = []
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket]!
    if (count > 0) cells.push(bucket, count)
  }
  return cells
}

export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  if (a.length === 0) return b
  if (b.length === 0) return a
  const merged: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = i < a.length ? a[i]! : Number.POSITIVE_INFINITY
    const right = j < b.length ? b[j]! : Number.POSITIVE_INFINITY
    const count = (left <= right ? a[i + 1]! : 0) + (right <= left ? b[j + 1]! : 0)
    merged.push(Math.min(left, right), count)
    if (left <= right) i += 2
    if (right <= left) j += 2
  }
  return merged
}

/** Every count times the same factor. */
export function scaleHistogram(histogram: Histogram, factor: number): Histogram {
  return histogram.map((value, i) => (i % 2 === 0 ? value : value * factor))
}

/** Every count times the same factor, as whole numbers. Sums up to any bucket are off by a half at most. */
export function scaleCounts(histogram: Histogram, factor: number): Histogram {
  const scaled: number[] = []
  let sum = 0
  let given = 0
  for (let i = 0; i < histogram.length; i += 2) {
    sum += histogram[i + 1]! * factor
    const count = Math.round(sum) - given
    given += count
    if (count > 0) scaled.push(histogram[i]!, count)
  }
  return scaled
}

export function histogramTotal(histogram: Histogram): number {
  let total = 0
  for (let i = 1; i < histogram.length; i += 2) total += histogram[i]!
  return total
}

/** The quantile q in [0, 1], interpolated within its bucket; null if the histogram is empty. */
export function quantileMs(histogram: Histogram, q: number): number | null {
  const rank = q * histogramTotal(histogram)
  let below = 0
  for (let i = 0; i < histogram.length; i += 2) {
    const bucket = histogram[i]!
    const count = histogram[i + 1]!
    if (below + count >= rank) {
      const from = bucketFromMs(bucket)
      return from + (bucketFromMs(bucket + 1) - from) * ((rank - below) / count)
    }
    below += count
  }
  return null
}

/** Checks a value from a message or from storage. */
export function isHistogram(value: unknown): value is Histogram {
  if (!Array.isArray(value) || value.length % 2 !== 0) return false
  let previous = -1
  for (let i = 0; i < value.length; i += 2) {
    const bucket: unknown = value[i]
    const count: unknown = value[i + 1]
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(count)) return false
    const index = bucket as number
    if (index <= previous || index >= HISTOGRAM_BUCKETS || (count as number) <= 0) return false
    previous = index
  }
  return true
}
