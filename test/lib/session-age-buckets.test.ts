import fc from 'fast-check'
import { describe, it } from 'vitest'
import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../src/lib/session-age-buckets.ts'

describe('ages of sessions', () => {
  it('lie in the bucket between whose ends they are', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 8000, noNaN: true }), (ageS) => {
        const bucket = ageBucketOf(ageS * 1000)
        expect(ageS).toBeGreaterThanOrEqual(ageBucketFromS(bucket) * (1 - 1e-9))
        if (bucket < AGE_BUCKETS - 1)
          expect(ageS).toBeLessThanOrEqual(ageBucketFromS(bucket + 1) * (1 + 1e-9))
      }),
    )
  })

  it('are told apart more finely when young: 0.36 s at the start, 6 s at a minute, 50 s at ten', ({
    expect,
  }) => {
    const widthAt = (ageS: number): number => {
      const bucket = ageBucketOf(ageS * 1000)
      return ageBucketFromS(bucket + 1) - ageBucketFromS(bucket)
    }
    expect(widthAt(0)).toBeCloseTo(0.36, 2)
    expect(Math.round(widthAt(60))).toBe(6)
    expect(Math.round(widthAt(600) / 10) * 10).toBe(50)
  })

  it('stand in the first or last bucket where they are off the scale, or no age', ({ expect }) => {
    expect(ageBucketOf(-5)).toBe(0)
    expect(ageBucketOf(Number.NaN)).toBe(0)
    expect(ageBucketOf(Number.POSITIVE_INFINITY)).toBe(AGE_BUCKETS - 1)
    expect(ageBucketOf(1e12)).toBe(AGE_BUCKETS - 1)
  })
})
