import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type Allocation,
  allocate,
  type ClassDemand,
} from '../../src/coordinator/allocate-classes.ts'

const classOf = (key: string, demand: Partial<ClassDemand> = {}): ClassDemand => ({
  key,
  value: 1,
  guaranteed: 0,
  arrivals: 0,
  cost: 1,
  ...demand,
})
const byValue = (limit: number | null, ...classes: ClassDemand[]) =>
  allocate({ limit, order: 'value', classes })
const byDensity = (limit: number | null, ...classes: ClassDemand[]) =>
  allocate({ limit, order: 'density', classes })
const probabilities = ({ classes }: Allocation) =>
  Object.fromEntries(Object.entries(classes).map(([key, plan]) => [key, plan.probability]))

const gold = (arrivals: number) => classOf('gold', { value: 3, arrivals })
const silver = (arrivals: number) => classOf('silver', { value: 2, arrivals })
const bronze = (arrivals: number) => classOf('bronze', { value: 1, arrivals })

/** Loads and revenues here are below 10,000: doubles add them up to some 1e-12. */
const ROUNDING = 1e-9
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const anyLimit = fc.double({ min: 0, max: 500, noNaN: true })
// Small whole values make ties likely; zeros are there on purpose.
const anyDemands = fc
  .array(
    fc.record({
      value: fc.nat({ max: 5 }),
      guaranteed: fc.constantFrom(0, 0, 5, 20),
      arrivals: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 200, noNaN: true })),
      cost: fc.constantFrom(0.01, 0.5, 1, 7),
    }),
    { maxLength: 6 },
  )
  .map((list): ClassDemand[] => list.map((demand, i) => ({ key: `class ${i}`, ...demand })))

describe('the threshold (Urgaonkar and Shenoy 2005, §3.3, eq. 5 and 6)', () => {
  it('cuts Bronze to what is left: 180 − 60 − 60 = 60 of its 120, so 0.5', ({ expect }) => {
    expect(probabilities(byValue(180, gold(60), silver(60), bronze(120)))).toEqual({
      gold: 1,
      silver: 1,
      bronze: 0.5,
    })
  })

  it('lets only Gold in, at 180/200 = 0.9, when Gold alone is more than the limit', ({
    expect,
  }) => {
    expect(probabilities(byValue(180, gold(200), silver(120), bronze(60)))).toEqual({
      gold: 0.9,
      silver: 0,
      bronze: 0,
    })
  })

  it('admits all in underload, at exactly the limit, and without a limit', ({ expect }) => {
    for (const limit of [1000, 180, null]) {
      expect(probabilities(byValue(limit, gold(60), silver(60), bronze(60)))).toEqual({
        gold: 1,
        silver: 1,
        bronze: 1,
      })
    }
  })

  it('counts guaranteed traffic once: 40 and 40 with 20 guaranteed each fill 80 of 100', ({
    expect,
  }) => {
    // The rule as printed reserves 40 and then counts all 80 again, so it would refuse some here.
    const allocation = byValue(
      100,
      classOf('a', { value: 2, guaranteed: 20, arrivals: 40 }),
      classOf('b', { value: 1, guaranteed: 20, arrivals: 40 }),
    )
    expect(probabilities(allocation)).toEqual({ a: 1, b: 1 })
    expect(allocation).toMatchObject({ drawLimit: 60, overcommitted: false })
  })

  it('sets aside only the used part of a guarantee: 5 of 50, so 95 of 100 are left for draws', ({
    expect,
  }) => {
    const allocation = byValue(
      100,
      classOf('vip', { value: 2, guaranteed: 50, arrivals: 5 }),
      classOf('rest', { arrivals: 190 }),
    )
    expect(allocation.drawLimit).toBe(95)
    expect(allocation.classes).toMatchObject({
      vip: { conforming: 1, guaranteed: 50 },
      rest: { probability: 0.5, conforming: 0 },
    })
  })

  it('gives the part of a class that is under its guarantee: 10 of 12, 10 of 40', ({ expect }) => {
    const conforming = (arrivals: number) =>
      byValue(1, classOf('a', { guaranteed: 10, arrivals })).classes.a!.conforming
    expect(conforming(12)).toBeCloseTo(10 / 12, 12)
    expect(conforming(40)).toBe(0.25)
    expect(conforming(3)).toBe(1)
    expect(conforming(0)).toBe(1)
  })

  it('admits 3/s more under a guarantee of 10/s that has to settle 3/s, and leaves 3/s less for draws', ({
    expect,
  }) => {
    const more = byValue(100, classOf('a', { guaranteed: 10, settlingRate: 3, arrivals: 26 }))
    expect(more.drawLimit).toBe(87)
    expect(more.classes.a).toMatchObject({ conforming: 0.5, guaranteed: 10 })
    const less = byValue(100, classOf('a', { guaranteed: 10, settlingRate: -30, arrivals: 26 }))
    expect(less.drawLimit).toBe(100)
    expect(less.classes.a).toMatchObject({ conforming: 0, guaranteed: 10 })
  })

  it('keeps guarantees that use up the whole limit, and marks the plan as overcommitted', ({
    expect,
  }) => {
    const allocation = byValue(
      30,
      classOf('a', { value: 2, guaranteed: 20, arrivals: 50 }),
      classOf('b', { value: 1, guaranteed: 20, arrivals: 50 }),
    )
    expect(allocation).toMatchObject({ drawLimit: 0, overcommitted: true })
    expect(allocation.classes).toMatchObject({
      a: { probability: 0, conforming: 0.4 },
      b: { probability: 0, conforming: 0.4 },
    })
  })

  it('gives a class without arrivals the probability of its first request', ({ expect }) => {
    expect(probabilities(byValue(100, gold(0), silver(200), bronze(0)))).toEqual({
      gold: 1,
      silver: 0.5,
      bronze: 0,
    })
    expect(probabilities(byValue(0, gold(0), silver(0), bronze(0)))).toEqual({
      gold: 0,
      silver: 0,
      bronze: 0,
    })
  })

  it('treats equal values as one class: 150 left for 100 + 200, so 0.5 for both', ({ expect }) => {
    const allocation = byValue(
      200,
      classOf('top', { value: 9, arrivals: 50 }),
      classOf('left', { value: 2, arrivals: 100 }),
      classOf('right', { value: 2, arrivals: 200 }),
    )
    expect(probabilities(allocation)).toEqual({ top: 1, left: 0.5, right: 0.5 })
    expect(Object.values(allocation.classes).map(({ rank }) => rank)).toEqual([0, 1, 1])
  })

  it('works with a single class and with none', ({ expect }) => {
    expect(probabilities(byValue(50, gold(200)))).toEqual({ gold: 0.25 })
    expect(byValue(50)).toEqual({ classes: {}, drawLimit: 50, overcommitted: false })
  })
})

describe('order by density', () => {
  const report = classOf('report', { value: 10, arrivals: 10, cost: 10 })
  const search = classOf('search', { value: 3, arrivals: 100, cost: 1 })

  it('earns 300 where order by value earns 100 from a limit of 100', ({ expect }) => {
    // A report yields 1 per unit of load, a search 3.
    expect(probabilities(byValue(100, report, search))).toEqual({ report: 1, search: 0 })
    expect(revenue([report, search], byValue(100, report, search))).toBe(100)
    expect(probabilities(byDensity(100, report, search))).toEqual({ report: 0, search: 1 })
    expect(revenue([report, search], byDensity(100, report, search))).toBe(300)
  })

  it('is the same as order by value if all classes cost the same', ({ expect }) => {
    fc.assert(
      fc.property(anyDemands, anyLimit, fc.double({ min: 0.1, max: 9, noNaN: true }), (d, l, c) => {
        const same = d.map((demand) => ({ ...demand, cost: c }))
        expect(byDensity(l, ...same)).toEqual(byValue(l, ...same))
      }),
    )
  })

  it('earns at least as much as any other way to use the limit', ({ expect }) => {
    fc.assert(
      fc.property(anyDemands, anyLimit, fc.infiniteStream(unit), (demands, limit, coins) => {
        const best = revenue(demands, byDensity(limit, ...demands))
        const { drawLimit } = byDensity(limit, ...demands)
        const shares = demands.map(() => coins.next().value)
        const load = demands.reduce((sum, d, i) => sum + excess(d) * d.cost * shares[i]!, 0)
        const fit = load > drawLimit! ? drawLimit! / load : 1
        const other = demands.reduce((sum, d, i) => sum + d.value * excess(d) * shares[i]! * fit, 0)
        expect(best).toBeGreaterThanOrEqual(other - ROUNDING)
        expect(best).toBeGreaterThanOrEqual(revenue(demands, byValue(limit, ...demands)) - ROUNDING)
      }),
    )
  })
})

describe('any allocation', () => {
  const anyAllocation = fc.record({
    limit: fc.option(anyLimit),
    order: fc.constantFrom('value' as const, 'density' as const),
    classes: anyDemands,
  })

  it('never refuses a more important class while a less important one is admitted', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyAllocation, (demand) => {
        const plans = Object.values(allocate(demand).classes)
        for (const a of plans)
          for (const b of plans) {
            if (a.rank < b.rank && b.probability > 0) expect(a.probability).toBe(1)
            if (a.rank === b.rank) expect(a.probability).toBe(b.probability)
          }
      }),
    )
  })

  it('admits no more load than the limit, or than the guarantees if these are more', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyAllocation, (demand) => {
        const allocation = allocate(demand)
        const reserved = demand.classes.reduce(
          (sum, d) => sum + Math.min(d.arrivals, d.guaranteed) * d.cost,
          0,
        )
        const drawn = demand.classes.reduce(
          (sum, d) => sum + excess(d) * d.cost * allocation.classes[d.key]!.probability,
          0,
        )
        if (demand.limit === null) return
        expect(reserved + drawn).toBeLessThanOrEqual(Math.max(demand.limit, reserved) + ROUNDING)
        // It also uses the whole limit: what it refuses would not fit.
        const offered = demand.classes.reduce((sum, d) => sum + excess(d) * d.cost, 0)
        const wanted = Math.min(demand.limit, reserved + offered)
        expect(reserved + drawn).toBeGreaterThanOrEqual(wanted - ROUNDING)
      }),
    )
  })

  it('never lowers the share of a class when its value is raised', ({ expect }) => {
    fc.assert(
      fc.property(anyAllocation, fc.nat(), fc.constantFrom(0, 1, 2, 5, 50), (demand, pick, by) => {
        fc.pre(demand.classes.length > 0)
        const chosen = demand.classes[pick % demand.classes.length]!
        const raised = demand.classes.map((d) => (d === chosen ? { ...d, value: d.value + by } : d))
        const after = allocate({ ...demand, classes: raised }).classes[chosen.key]!
        const before = allocate(demand).classes[chosen.key]!
        expect(after.probability).toBeGreaterThanOrEqual(before.probability - ROUNDING)
        expect(after.conforming).toBe(before.conforming)
      }),
    )
  })

  it('gives finite numbers for any input', ({ expect }) => {
    const wild = fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Infinity, 1e308))
    const wildClass = fc.record({ value: wild, guaranteed: wild, arrivals: wild, cost: wild })
    fc.assert(
      fc.property(wild, fc.array(wildClass, { maxLength: 5 }), (limit, classes) => {
        for (const order of ['value', 'density'] as const) {
          const keyed = classes.map((demand, i) => ({ key: `class ${i}`, ...demand }))
          const allocation = allocate({ limit, order, classes: keyed })
          expect(Object.keys(allocation.classes)).toHaveLength(classes.length)
          for (const plan of Object.values(allocation.classes)) {
            for (const part of [plan.probability, plan.conforming]) {
              expect(part).toBeGreaterThanOrEqual(0)
              expect(part).toBeLessThanOrEqual(1)
            }
            expect([plan.guaranteed, plan.cost, plan.rank].every(Number.isFinite)).toBe(true)
          }
          expect(allocation.drawLimit === null || allocation.drawLimit >= 0).toBe(true)
        }
      }),
    )
  })
})

function excess({ arrivals, guaranteed }: ClassDemand): number {
  return Math.max(0, arrivals - guaranteed)
}

/** Per second, of the drawn requests. The guaranteed part is the same under every order. */
function revenue(demands: readonly ClassDemand[], { classes }: Allocation): number {
  return demands.reduce((sum, d) => sum + d.value * excess(d) * classes[d.key]!.probability, 0)
}
