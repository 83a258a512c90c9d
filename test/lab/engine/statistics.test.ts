import { describe, it } from 'vitest'
import { interval, studentQuantile } from '../../../lab/engine/statistics.ts'

describe('confidence intervals', () => {
  // Any table of Student's t; columns: degrees of freedom, 97.5 %, 99.5 %.
  const TABLE = [
    [1, 12.706, 63.657],
    [2, 4.303, 9.925],
    [3, 3.182, 5.841],
    [4, 2.776, 4.604],
    [9, 2.262, 3.25],
    [29, 2.045, 2.756],
  ] as const
  for (const [freedom, t95, t99] of TABLE) {
    it(`has Student's quantiles for ${freedom} degrees of freedom: ${t95} and ${t99}`, ({
      expect,
    }) => {
      // The error of the expansion at ν = 3 is 1 % for 97.5 % and 3 % for 99.5 %.
      expect(Math.abs(studentQuantile(0.975, freedom) / t95 - 1)).toBeLessThan(0.01)
      expect(Math.abs(studentQuantile(0.995, freedom) / t99 - 1)).toBeLessThan(0.03)
    })
  }

  it('is mean ± t s/√n: for 1, 2, 3 it is 2 ± 4.303 / √3', ({ expect }) => {
    const { mean, low, high } = interval([1, 2, 3])
    expect(mean).toBe(2)
    expect(high - mean).toBeCloseTo(4.303 / Math.sqrt(3), 3)
    expect(mean - low).toBeCloseTo(4.303 / Math.sqrt(3), 3)
  })

  it('is infinite for a single value', ({ expect }) => {
    expect(interval([5])).toEqual({
      mean: 5,
      low: Number.NEGATIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
    })
  })
})
