import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  bucketFromMs,
  bucketOf,
  HISTOGRAM_BUCKETS,
  type Histogram,
  histogramTotal,
  isHistogram,
  mergeHistograms,
  quantileMs,
  scaleCounts,
} from '../../src/lib/histogram.ts'
import { histogramOf } from '../support/histogram.ts'

const samples = fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { maxLength: 200 })
const anyHistogram = samples.map(histogramOf)

describe('the mergeable histogram', () => {
  it('merges in any order and grouping, as if all samples were in one histogram', ({ expect }) => {
    fc.assert(
      fc.property(samples, samples, samples, (a, b, c) => {
        const [x, y, z] = [histogramOf(a), histogramOf(b), histogramOf(c)]
        const all = histogramOf([...a, ...b, ...c])
        expect(mergeHistograms(mergeHistograms(x, y), z)).toEqual(all)
        expect(mergeHistograms(x, mergeHistograms(z, y))).toEqual(all)
      }),
    )
  })

  it('scaled has whole counts, of which those up to any bucket are off by a half at most', ({
    expect,
  }) => {
    fc.assert(
      fc.property(
        anyHistogram,
        fc.double({ min: 0, max: 50, noNaN: true }),
        (histogram, factor) => {
          const scaled = scaleCounts(histogram, factor)
          expect(isHistogram(scaled)).toBe(true)
          const upTo = (cells: Histogram, bucket: number) =>
            histogramTotal(cells.filter((_, i) => cells[i - (i % 2)]! <= bucket))
          for (let i = 0; i < histogram.length; i += 2) {
            const bucket = histogram[i]!
            const error = upTo(scaled, bucket) - factor * upTo(histogram, bucket)
            expect(Math.abs(error)).toBeLessThanOrEqual(0.5 + 1e-6)
          }
        },
      ),
    )
  })

  it('puts every time into a bucket with a lower and an upper end around it', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 131_071, noNaN: true }), (ms) => {
        const bucket = bucketOf(ms)
        // One part in a million: 2 ** (k / 16) is not exact in floating point.
        expect(bucketFromMs(bucket)).toBeLessThanOrEqual(ms * (1 + 1e-6))
        expect(bucketFromMs(bucket + 1)).toBeGreaterThan(ms * (1 - 1e-6))
      }),
    )
  })

  it('puts invalid and very long times into the first and last bucket', ({ expect }) => {
    expect(bucketOf(Number.NaN)).toBe(0)
    expect(bucketOf(-5)).toBe(0)
    expect(bucketOf(Number.POSITIVE_INFINITY)).toBe(HISTOGRAM_BUCKETS - 1)
  })

  it('gives quantiles that are exact within one bucket, 4.4 %', ({ expect }) => {
    const times = Array.from({ length: 1000 }, (_, i) => 10 + i) // 10 … 1009 ms
    // The 950th of 1000 is 959 ms.
    expect(Math.abs(quantileMs(histogramOf(times), 0.95)! / 959 - 1)).toBeLessThan(0.044)
  })

  it('has no quantile without samples', ({ expect }) => {
    expect(quantileMs([], 0.95)).toBeNull()
  })

  it('has the total of its counts', ({ expect }) => {
    expect(histogramTotal(histogramOf([1, 1, 500, 9e9]))).toBe(4)
  })

  it('is recognised, and other values are not', ({ expect }) => {
    fc.assert(fc.property(anyHistogram, isHistogram))
    for (const bad of [
      null,
      'x',
      [1],
      [1, 0],
      [1, -1],
      [1, 0.5],
      [2, 1, 1, 1],
      [1, 1, 1, 1],
      [-1, 1],
      [HISTOGRAM_BUCKETS, 1],
      [1, Number.NaN],
      ['1', 1],
    ])
      expect(isHistogram(bad)).toBe(false)
  })
})
