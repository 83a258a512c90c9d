import fc from 'fast-check'
import { describe, it } from 'vitest'
import { curveOf, rateAt, responseAt } from '../../../src/learners/soc/curve.ts'
import type { Barycenter } from '../../../src/learners/soc/slices.ts'

function at(rate: number, responseMs: number, count = 1): Barycenter {
  return { slice: 0, rate, responseMs, count, rateSquares: 0, responseSquares: 0 }
}

/** Any reliable barycenters in order of their rates. Those of two slices differ by more than rounding. */
const anyBarycenters = fc
  .array(
    fc.record({
      rate: fc.integer({ min: 1, max: 10_000 }).map((tenths) => tenths / 10),
      responseMs: fc.integer({ min: 1, max: 10_000 }),
      count: fc.integer({ min: 2, max: 30 }),
    }),
    { maxLength: 20 },
  )
  .map((points) => points.toSorted((a, b) => a.rate - b.rate))
  .map((points) => points.map(({ rate, responseMs, count }) => at(rate, responseMs, count)))

const anyBench = fc.double({ min: 1, max: 1000, noNaN: true })

describe('curve construction (Bartolini et al. 2009, §5.2)', () => {
  it('pools neighbours that fall: (1, 300) and (2, 100) become (1.5, 200) (Fig. 4)', ({
    expect,
  }) => {
    const curve = curveOf(50, [at(1, 300), at(2, 100), at(3, 400)])
    expect(curve).toEqual([
      { rate: 0, responseMs: 50, count: 1 },
      { rate: 1.5, responseMs: 200, count: 2 },
      { rate: 3, responseMs: 400, count: 1 },
    ])
  })

  it('weighs by cardinality: 30 pairs at (1, 300) and 10 at (2, 100) become (1.25, 250)', ({
    expect,
  }) => {
    const [, pooled] = curveOf(50, [at(1, 300, 30), at(2, 100, 10)])
    expect(pooled).toEqual({ rate: 1.25, responseMs: 250, count: 40 })
  })

  it('pools ties, and pools backwards until the whole curve rises', ({ expect }) => {
    expect(curveOf(50, [at(1, 100), at(2, 100)])).toHaveLength(2)
    // (3, 60) pulls (2, 120) down to (2.5, 90), which pulls (1, 100) to (2, 93.3).
    const curve = curveOf(50, [at(1, 100), at(2, 120), at(3, 60)])
    expect(curve).toHaveLength(2)
    expect(curve[1]!.rate).toBeCloseTo(2, 12)
    expect(curve[1]!.responseMs).toBeCloseTo(280 / 3, 9)
  })

  it('starts from the benchmark point, which can be pooled too', ({ expect }) => {
    expect(curveOf(120, [])).toEqual([{ rate: 0, responseMs: 120, count: 1 }])
    expect(curveOf(120, [at(2, 100, 3)])).toEqual([{ rate: 1.5, responseMs: 105, count: 4 }])
  })

  it('never falls, for any barycenters', ({ expect }) => {
    fc.assert(
      fc.property(anyBench, anyBarycenters, fc.array(anyBench), (bench, barycenters, rates) => {
        const curve = curveOf(bench, barycenters)
        for (const [i, point] of curve.entries()) {
          if (i === 0) continue
          expect(point.rate).toBeGreaterThan(curve[i - 1]!.rate)
          expect(point.responseMs).toBeGreaterThan(curve[i - 1]!.responseMs)
        }
        const heights = rates.toSorted((a, b) => a - b).map((rate) => responseAt(curve, rate))
        for (const [i, height] of heights.entries()) {
          if (i > 0) expect(height).toBeGreaterThanOrEqual(heights[i - 1]! * (1 - 1e-12))
        }
      }),
    )
  })
})

describe('the inverse of the curve (§4.1)', () => {
  const curve = curveOf(100, [at(10, 120), at(20, 180), at(25, 380)])

  it('reads λ* off the lines: 150 ms at 15/s, 280 ms at 22.5/s', ({ expect }) => {
    expect(rateAt(curve, 150)).toBeCloseTo(15, 12)
    expect(rateAt(curve, 280)).toBeCloseTo(22.5, 12)
  })

  it('extends the last line: it rises by 40 ms for each 1/s, so 580 ms are at 30/s', ({
    expect,
  }) => {
    expect(rateAt(curve, 580)).toBeCloseTo(30, 12)
    expect(responseAt(curve, 30)).toBeCloseTo(580, 9)
  })

  it('is 0 below the idle response time, and infinite if nothing rises', ({ expect }) => {
    expect(rateAt(curve, 99)).toBe(0)
    expect(rateAt(curveOf(100, []), 200)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is the rate at which the curve meets the target', ({ expect }) => {
    fc.assert(
      fc.property(anyBench, anyBarycenters, anyBench, (bench, barycenters, above) => {
        const any = curveOf(bench, barycenters)
        fc.pre(any.length > 1)
        const target = any[0]!.responseMs + above
        const met = responseAt(any, rateAt(any, target))
        expect(Math.abs(met - target)).toBeLessThan(1e-6 * target)
      }),
    )
  })
})
