import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  bucketFromMs,
  bucketOf,
  HISTOGRAM_BUCKETS,
  histogramTotal,
  isHistogram,
  mergeHistograms,
  quantileMs,
} from '../../src/lib/histogram.ts'
import { histogramOf } from '../support/histogram.ts'

const samples = fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { maxLength: 200 })
const anyHistogram = samples.map(histogramOf)

describe('the mergeable histogram', () => {
  it('merges in any order and grouping, as if all samples had come to one place', ({ expect }) => {
    fc.assert(
      fc.property(samples, samples, samples, (a, b, c) => {
        const [x, y, z] = [histogramOf(a), histogramOf(b), histogramOf(c)]
        const all = histogramOf([...a, ...b, ...c])
        expect(mergeHistograms(mergeHistograms(x, y), z)).toEqual(all)
        expect(mergeHistograms(x, mergeHistograms(z, y))).toEqual(all)
      }),
    )
  })

  it('puts every time into the bucket that holds it', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 131_071, noNaN: true }), (ms) => {
        const bucket = bucketOf(ms)
        // One part in a million: 2 ** (k / 16) is not exact in floating point.
        expect(bucketFromMs(bucket)).toBeLessThanOrEqual(ms * (1 + 1e-6))
        expect(bucketFromMs(bucket + 1)).toBeGreaterThan(ms * (1 - 1e-6))
      }),
    )
  })

  it('keeps absurd times in its outermost buckets', ({ expect }) => {
    expect(bucketOf(Number.NaN)).toBe(0)
    expect(bucketOf(-5)).toBe(0)
    expect(bucketOf(Number.POSITIVE_INFINITY)).toBe(HISTOGRAM_BUCKETS - 1)
  })

  it('gives a quantile within the 4.4 % of one bucket of the true one', ({ expect }) => {
    const times = Array.from({ length: 1000 }, (_, i) => 10 + i) // 10 … 1009 ms
    // The 950th of 1000 is 959 ms.
    expect(Math.abs(quantileMs(histogramOf(times), 0.95)! / 959 - 1)).toBeLessThan(0.044)
  })

  it('has no quantile without samples', ({ expect }) => {
    expect(quantileMs([], 0.95)).toBeNull()
  })

  it('counts what it holds', ({ expect }) => {
    expect(histogramTotal(histogramOf([1, 1, 500, 9e9]))).toBe(4)
  })

  it('knows its own kind', ({ expect }) => {
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
