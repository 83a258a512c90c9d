import fc from 'fast-check'
import { describe, it } from 'vitest'
import { CorrelationWindow } from '../../../lab/peers/correlation-window.ts'
import { MovingAverage } from '../../../lab/peers/moving-average.ts'
import { quantile } from '../../../lab/peers/quantile.ts'

describe('the moving average of Gradient2 and failsafe-go', () => {
  it('is the plain mean of the first ten values, then gives the newest a weight of 2/(n + 1)', ({
    expect,
  }) => {
    const average = new MovingAverage(600)
    for (let value = 1; value <= 10; value++) average.add(value)
    expect(average.value).toBeCloseTo(5.5, 12)
    // 5.5 + 2/601 × (606.5 − 5.5) = 7.5
    expect(average.add(606.5)).toBeCloseTo(7.5, 12)
  })

  it('stays between the smallest and the largest value', ({ expect }) => {
    const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), values, (n, list) => {
        const average = new MovingAverage(n)
        for (const value of list) average.add(value)
        expect(average.value).toBeGreaterThanOrEqual(Math.min(...list) - 1e-6)
        expect(average.value).toBeLessThanOrEqual(Math.max(...list) + 1e-6)
      }),
    )
  })
})

describe('quantiles', () => {
  it('interpolate between two values: the 0.9-quantile of 1 … 5 is 4.6', ({ expect }) => {
    const values = [5, 3, 1, 4, 2]
    expect(quantile(values, 0)).toBe(1)
    expect(quantile(values, 0.5)).toBe(3)
    expect(quantile(values, 0.9)).toBeCloseTo(4.6, 12)
    expect(quantile(values, 1)).toBe(5)
    expect(values).toEqual([5, 3, 1, 4, 2])
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })
})

describe('correlation windows of failsafe-go', () => {
  it('give nothing before ten pairs', ({ expect }) => {
    const window = new CorrelationWindow(50)
    for (let i = 1; i < 10; i++) {
      expect(window.add(i, i)).toEqual({ correlation: 0, variationOfY: 0 })
    }
    expect(window.add(10, 10).correlation).toBeCloseTo(1, 12)
  })

  it('give Pearson’s coefficient and the variation of y, of the last pairs only', ({ expect }) => {
    const window = new CorrelationWindow(10)
    for (let i = 0; i < 5; i++) window.add(i, 1000)
    for (let i = 0; i < 9; i++) window.add(i, -2 * i)
    const { correlation } = window.add(9, -18)
    expect(correlation).toBeCloseTo(-1, 12)
    // Ten times 1 and 3 in turn: mean 2, standard deviation 1.
    const even = new CorrelationWindow(10)
    let last = even.add(0, 1)
    for (let i = 1; i < 10; i++) last = even.add(0, i % 2 === 0 ? 1 : 3)
    expect(last).toEqual({ correlation: 0, variationOfY: 0.5 })
  })
})
