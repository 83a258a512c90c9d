import fc from 'fast-check'
import { describe, it } from 'vitest'
import { SmallFirst } from '../../src/admission/small-first.ts'
import { serviceBucketMs, serviceBucketOf } from '../../src/measure/service-buckets.ts'

/** As the gate sees a size: the middle of its bucket. */
const seen = (ms: number) => serviceBucketMs(serviceBucketOf(ms))

function afterArrivals(sizes: readonly number[], probability: number): SmallFirst {
  const gate = new SmallFirst()
  for (const ms of sizes) gate.arrive(ms)
  gate.set(probability)
  return gate
}

describe('small requests first (Cataclysm §3.1)', () => {
  it('lets 100 of 10 ms in and none of 100 ms when half of the load may come', ({ expect }) => {
    const sizes = [...new Array(100).fill(10), ...new Array(10).fill(100)]
    // The small make up 1000 of 2000 ms, as the gate sees them 0.49.
    const gate = afterArrivals(sizes, (100 * seen(10)) / (100 * seen(10) + 10 * seen(100)))
    expect(gate.probability(10)).toBeCloseTo(1, 9)
    expect(gate.probability(100)).toBeCloseTo(0, 9)
  })

  it('cuts within a size where the load ends there', ({ expect }) => {
    const gate = afterArrivals([10, 10, 10, 10], 0.25)
    expect(gate.probability(10)).toBe(0.25)
    expect(gate.probability(5)).toBe(1)
    expect(gate.probability(500)).toBe(0)
  })

  it('brings p of the load, and at least p of the requests', ({ expect }) => {
    const size = fc.double({ min: 1, max: 5000, noNaN: true })
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 100 }), part, (sizes, p) => {
        const gate = afterArrivals(sizes, p)
        const load = sizes.reduce((sum, ms) => sum + seen(ms), 0)
        const admitted = sizes.reduce((sum, ms) => sum + seen(ms) * gate.probability(ms), 0)
        expect(admitted / load).toBeCloseTo(p, 9)
        const count = sizes.reduce((sum, ms) => sum + gate.probability(ms), 0)
        expect(count / sizes.length).toBeGreaterThanOrEqual(p - 1e-9)
      }),
    )
  })

  it('never prefers the larger of two', ({ expect }) => {
    const size = fc.double({ min: 0, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(fc.array(size), fc.double({ noNaN: true }), size, size, (sizes, p, a, b) => {
        const gate = afterArrivals(sizes, p)
        const [smaller, larger] = a < b ? [a, b] : [b, a]
        expect(gate.probability(smaller)).toBeGreaterThanOrEqual(gate.probability(larger))
      }),
    )
  })

  it('admits all at 1, none at 0, and by p alone while it knows no sizes', ({ expect }) => {
    expect(afterArrivals([10, 1000], 1).probability(9999)).toBe(1)
    expect(afterArrivals([10, 1000], 0).probability(1)).toBe(0)
    expect(afterArrivals([], 0.3).probability(77)).toBe(0.3)
    expect(afterArrivals([10], Number.NaN).probability(1)).toBe(0)
  })

  it('forgets old sizes: after a minute of plans a new mix decides', ({ expect }) => {
    const gate = new SmallFirst()
    for (let i = 0; i < 1000; i++) gate.arrive(1000)
    for (let plan = 0; plan < 60; plan++) {
      for (let i = 0; i < 100; i++) gate.arrive(10)
      gate.set(0.5)
    }
    expect(gate.probability(10)).toBeGreaterThan(0.5)
    expect(gate.probability(10)).toBeLessThan(0.75)
  })
})
