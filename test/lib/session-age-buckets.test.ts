import fc from 'fast-check'
import { describe, it } from 'vitest'
import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../src/lib/session-age-buckets.ts'

describe('the age of a session', () => {
  it('is between the lower and the upper end of its bucket', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 8000, noNaN: true }), (ageS) => {
        const bucket = ageBucketOf(ageS * 1000)
        expect(ageS).toBeGreaterThanOrEqual(ageBucketFromS(bucket) * (1 - 1e-9))
        if (bucket < AGE_BUCKETS - 1)
          expect(ageS).toBeLessThanOrEqual(ageBucketFromS(bucket + 1) * (1 + 1e-9))
      }),
    )
  })

  it('has buckets of 0.36 s at the start, 6 s at a minute, 50 s at ten minutes', ({ expect }) => {
    const widthAt = (ageS: number): number => {
      const bucket = ageBucketOf(ageS * 1000)
      return ageBucketFromS(bucket + 1) - ageBucketFromS(bucket)
    }
    expect(widthAt(0)).toBeCloseTo(0.36, 2)
    expect(Math.round(widthAt(60))).toBe(6)
    expect(Math.round(widthAt(600) / 10) * 10).toBe(50)
  })

  it('is in the first or last bucket if it is out of range or invalid', ({ expect }) => {
    expect(ageBucketOf(-5)).toBe(0)
    expect(ageBucketOf(Number.NaN)).toBe(0)
    expect(ageBucketOf(Number.POSITIVE_INFINITY)).toBe(AGE_BUCKETS - 1)
    expect(ageBucketOf(1e12)).toBe(AGE_BUCKETS - 1)
  })
})
