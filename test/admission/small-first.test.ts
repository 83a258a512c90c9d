import fc from 'fast-check'
import { describe, it } from 'vitest'
import { SmallFirst } from '../../src/admission/small-first.ts'
import { serviceBucketMs, serviceBucketOf } from '../../src/measure/service-buckets.ts'

/** The size that the class uses: the middle of its bucket. */
const seen = (ms: number) => serviceBucketMs(serviceBucketOf(ms))

function afterArrivals(sizes: readonly number[], probability: number): SmallFirst {
  const smallFirst = new SmallFirst()
  for (const ms of sizes) smallFirst.arrive(ms)
  smallFirst.set(probability)
  return smallFirst
}

describe('small requests first (Urgaonkar and Shenoy 2005, §3.1)', () => {
  it('admits 100 of 10 ms and none of 100 ms when half of the load is admitted', ({ expect }) => {
    const sizes = [...new Array(100).fill(10), ...new Array(10).fill(100)]
    // The small ones make up 1000 of 2000 ms; with the middles of the buckets it is 0.49.
    const smallFirst = afterArrivals(sizes, (100 * seen(10)) / (100 * seen(10) + 10 * seen(100)))
    expect(smallFirst.probability(10)).toBeCloseTo(1, 9)
    expect(smallFirst.probability(100)).toBeCloseTo(0, 9)
  })

  it('admits a part of the size at the cut', ({ expect }) => {
    const smallFirst = afterArrivals([10, 10, 10, 10], 0.25)
    expect(smallFirst.probability(10)).toBe(0.25)
    expect(smallFirst.probability(5)).toBe(1)
    expect(smallFirst.probability(500)).toBe(0)
  })

  it('admits p of the load, and at least p of the requests', ({ expect }) => {
    const size = fc.double({ min: 1, max: 5000, noNaN: true })
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 100 }), part, (sizes, p) => {
        const smallFirst = afterArrivals(sizes, p)
        const load = sizes.reduce((sum, ms) => sum + seen(ms), 0)
        const admitted = sizes.reduce((sum, ms) => sum + seen(ms) * smallFirst.probability(ms), 0)
        expect(admitted / load).toBeCloseTo(p, 9)
        const count = sizes.reduce((sum, ms) => sum + smallFirst.probability(ms), 0)
        expect(count / sizes.length).toBeGreaterThanOrEqual(p - 1e-9)
      }),
    )
  })

  it('never prefers the larger of two requests', ({ expect }) => {
    const size = fc.double({ min: 0, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(fc.array(size), fc.double({ noNaN: true }), size, size, (sizes, p, a, b) => {
        const smallFirst = afterArrivals(sizes, p)
        const [smaller, larger] = a < b ? [a, b] : [b, a]
        expect(smallFirst.probability(smaller)).toBeGreaterThanOrEqual(
          smallFirst.probability(larger),
        )
      }),
    )
  })

  it('admits all at 1, none at 0, and a part p while no sizes are known', ({ expect }) => {
    expect(afterArrivals([10, 1000], 1).probability(9999)).toBe(1)
    expect(afterArrivals([10, 1000], 0).probability(1)).toBe(0)
    expect(afterArrivals([], 0.3).probability(77)).toBe(0.3)
    expect(afterArrivals([10], Number.NaN).probability(1)).toBe(0)
  })

  it('forgets old sizes: after a minute of plans the new sizes decide', ({ expect }) => {
    const smallFirst = new SmallFirst()
    for (let i = 0; i < 1000; i++) smallFirst.arrive(1000)
    for (let plan = 0; plan < 60; plan++) {
      for (let i = 0; i < 100; i++) smallFirst.arrive(10)
      smallFirst.set(0.5)
    }
    expect(smallFirst.probability(10)).toBeGreaterThan(0.5)
    expect(smallFirst.probability(10)).toBeLessThan(0.75)
  })
})
