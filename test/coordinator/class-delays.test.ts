import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  classDelays,
  type DelayDemand,
  delaysByClass,
  displacementChance,
} from '../../src/coordinator/class-delays.ts'

const gold = { arrivals: 10, serviceMs: 20, mostMs: 900 }
const silver = { arrivals: 20, serviceMs: 20, mostMs: 900 }
const bronze = { arrivals: 30, serviceMs: 20, mostMs: 900 }
const overload: DelayDemand = { drop: 0.4, places: 5, classes: [gold, silver, bronze] }

const largestChance = (demand: DelayDemand) => displacementChance(demand, classDelays(demand), 0)

describe('the chance of a refusal because of a less important request (Urgaonkar and Shenoy 2005, §3.4, eq. 8 to 13)', () => {
  it('is p(1−p)(1−e^{−λd}) / (e^{d/Nm} − 1) with two classes', ({ expect }) => {
    // 0.4 × 0.6 × (1 − e^{−20 × 0.05}) / (e^{0.05 / (5 × 0.02)} − 1) = 0.24 × 0.63212 / 0.64872
    const two = { ...overload, classes: [gold, silver] }
    expect(displacementChance(two, [0, 50], 0)).toBeCloseTo(0.233_86, 5)
  })

  it('counts a class only if no more important request came meanwhile', ({ expect }) => {
    // Bronze adds 0.24 × e^{−20 × 0.05} × (1 − e^{−30 × 0.1}) / (e^{0.1 / 0.1} − 1) = 0.048825.
    expect(displacementChance(overload, [0, 50, 100], 0)).toBeCloseTo(0.233_86 + 0.048_825, 5)
    expect(displacementChance(overload, [0, 50, 100], 1)).toBeCloseTo(0.048_825, 5)
    expect(displacementChance(overload, [0, 50, 100], 2)).toBe(0)
  })

  it('tends to p(1−p) λ N m as the delay goes to 0: 0.24 × 20 × 5 × 0.02 = 0.48', ({ expect }) => {
    const two = { ...overload, classes: [gold, silver] }
    expect(displacementChance(two, [0, 0], 0)).toBeCloseTo(0.48, 12)
    expect(displacementChance(two, [0, 1e-4], 0)).toBeCloseTo(0.48, 3)
  })

  it('falls with every delay', ({ expect }) => {
    const delay = fc.double({ min: 0, max: 500, noNaN: true })
    fc.assert(
      fc.property(delay, delay, delay, fc.constantFrom(1, 2), (d2, d3, more, which) => {
        const longer = [0, d2, d3]
        longer[which]! += more
        const before = displacementChance(overload, [0, d2, d3], 0)
        expect(displacementChance(overload, longer, 0)).toBeLessThanOrEqual(before + 1e-12)
      }),
    )
  })
})

describe('class delays (Urgaonkar and Shenoy 2005, §3.4)', () => {
  it('are 0 if no request is refused, and if all are', ({ expect }) => {
    expect(classDelays({ ...overload, drop: 0 })).toEqual([0, 0, 0])
    expect(classDelays({ ...overload, drop: 1 })).toEqual([0, 0, 0])
    expect(classDelays({ ...overload, drop: Number.NaN })).toEqual([0, 0, 0])
  })

  it('start at 0 for the most important class and double from class to class', ({ expect }) => {
    const delaysMs = classDelays(overload)
    expect(delaysMs[0]).toBe(0)
    expect(delaysMs[1]).toBeGreaterThan(0)
    expect(delaysMs[2]).toBe(2 * delaysMs[1]!)
    expect(largestChance(overload)).toBeLessThan(0.05)
  })

  it('are as short as ε = 0.05 allows', ({ expect }) => {
    const shorter = classDelays(overload).map((ms) => ms * 0.999)
    expect(displacementChance(overload, shorter, 0)).toBeGreaterThanOrEqual(0.05)
  })

  it('stop at the longest delay of a class, even if ε is missed: 60 ms for Bronze, so 30 for Silver', ({
    expect,
  }) => {
    const capped = { ...overload, classes: [gold, silver, { ...bronze, mostMs: 60 }] }
    expect(classDelays(capped)).toEqual([0, 30, 60])
    expect(largestChance(capped)).toBeGreaterThan(0.05)
  })

  it('are 0 for a single class, and none for no class', ({ expect }) => {
    expect(classDelays({ ...overload, classes: [gold] })).toEqual([0])
    expect(classDelays({ ...overload, classes: [] })).toEqual([])
  })

  it('stay within their bounds for any input', ({ expect }) => {
    const wild = fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Infinity, 0.5, 50))
    const anyClass = fc.record({ arrivals: wild, serviceMs: wild, mostMs: fc.nat(1000) })
    fc.assert(
      fc.property(wild, wild, fc.array(anyClass, { maxLength: 4 }), (drop, places, classes) => {
        for (const [i, ms] of classDelays({ drop, places, classes }).entries()) {
          expect(ms).toBeGreaterThanOrEqual(0)
          if (i > 0) expect(ms).toBeLessThanOrEqual(classes[i]!.mostMs * (1 + 1e-12))
        }
      }),
    )
  })
})

describe('the delays of an origin’s classes', () => {
  const load = { servers: 3, serviceMs: 20, inFlight: 30, queueingMs: 0 }
  const classes = ['gold', 'silver', 'bronze'].map((key, rank) => ({
    ...{ key, rank, arrivals: 60, serviceMs: 20 },
  }))
  const delays = (given: object) =>
    Object.fromEntries(delaysByClass({ classes, load, targetMs: 1000, drop: 0.4, ...given }))

  it('are 0 if no request is refused', ({ expect }) => {
    expect(delays({ drop: 0 })).toEqual({ gold: 0, silver: 0, bronze: 0 })
  })

  it('are 0 for the first class, and twice as long for each further class', ({ expect }) => {
    const { gold, silver, bronze } = delays({})
    expect(gold).toBe(0)
    expect(silver).toBeGreaterThan(20)
    expect(bronze).toBe(2 * silver!)
  })

  it('are at most a quarter of the target, and at most a second', ({ expect }) => {
    expect(delays({ drop: 0.5 }).bronze).toBeLessThanOrEqual(250)
    expect(delays({ drop: 0.5, targetMs: 60_000 }).bronze).toBeLessThanOrEqual(1000)
  })

  it('leave time for queueing and service: 1000 − 940 − 20 = 40 ms, or 0', ({ expect }) => {
    const queueing = (queueingMs: number) => delays({ load: { ...load, queueingMs } })
    expect(queueing(940)).toEqual({ gold: 0, silver: 20, bronze: 40 })
    expect(queueing(980).bronze).toBe(0)
    expect(queueing(2000).bronze).toBe(0)
  })

  it('do not depend on the requests in flight', ({ expect }) => {
    expect(delays({ load: { ...load, inFlight: 150 } })).toEqual(delays({}))
  })

  it('are the same for classes of the same rank', ({ expect }) => {
    const equal = [classes[0]!, classes[1]!, { ...classes[2]!, rank: 1 }]
    const { silver, bronze } = delays({ classes: equal })
    expect(silver).toBeGreaterThan(0)
    expect(bronze).toBe(silver)
  })
})
