import {
  bucketOf,
  HISTOGRAM_BUCKETS,
  type Histogram,
  toHistogram,
} from '../../src/lib/histogram.ts'

/** The histogram of these response times. */
export function histogramOf(samplesMs: Iterable<number>): Histogram {
  const counts = new Array<number>(HISTOGRAM_BUCKETS).fill(0)
  for (const ms of samplesMs) counts[bucketOf(ms)]! += 1
  return toHistogram(counts)
}
