import { describe, it } from 'vitest'
import { buildSample } from '../../src/coordinator/build-sample.ts'
import { costsOf, NO_SERVICE_TOTALS, serviceTotalsAfter } from '../../src/coordinator/class-cost.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { CLASS, type Counts, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'

const REPORTS = { ...CLASS, name: 'reports', value: 10 }
const SEARCHES = { ...CLASS, name: 'searches', value: 3 }
const ROUTES = { api: { granularity: 'request' as const, classes: [REPORTS, SEARCHES] } }
const SETUP = setupOf({ routes: ROUTES })

/** Requests of a class, all admitted, with this service time each. */
const sent = (requests: number, ms: number) => ({
  ...{ offered: requests, offeredUs: requests * ms * 1000, admitted: requests },
  ...{ requests, serviceUs: requests * ms * 1000, served: requests },
})
const second = (reports: object, searches: object): Counts => ({ api: { reports, searches } })
const after = (...seconds: Counts[]) =>
  seconds.reduce(
    (totals, counts) => serviceTotalsAfter(totals, SETUP, routesFeedback(counts), 1000),
    NO_SERVICE_TOTALS,
  )

describe('the cost of a class (Urgaonkar and Shenoy 2005, eq. 5: λ_j s_j)', () => {
  // (50 × 10 ms + 50 × 1 ms) / 100 = 5.5 ms
  const costs = costsOf(after(second(sent(50, 10), sent(50, 1))))

  it('is its mean service time divided by the mean over all classes', ({ expect }) => {
    expect(costs.meanMs).toBeCloseTo(5.5)
    expect(costs.sent('api/reports')).toBeCloseTo(10 / 5.5)
    expect(costs.sent('api/searches')).toBeCloseTo(1 / 5.5)
  })

  it('makes the usual mix cost as many units as it has requests', ({ expect }) => {
    expect(50 * costs.sent('api/reports') + 50 * costs.sent('api/searches')).toBeCloseTo(100)
  })

  it('is 1 if it is not known, or known from too few requests', ({ expect }) => {
    const unknown = costsOf(after(second({ offered: 50, requests: 50 }, {})))
    expect([unknown.offered('api/reports'), unknown.meanMs]).toEqual([1, null])
    const few = costsOf(after(second(sent(19, 10), sent(50, 1))))
    expect(few.sent('api/reports')).toBe(1)
    expect(few.sent('api/searches')).not.toBe(1)
    expect(few.sent('api/nobody')).toBe(1)
  })

  it('comes from the offered requests, if only small ones are admitted', ({ expect }) => {
    const asked = { ...sent(50, 2), offered: 100, offeredUs: 100 * 11_000 }
    const picky = costsOf(after(second(asked, sent(50, 2))))
    expect(picky.sent('api/reports')).toBeCloseTo(1)
    expect(picky.offered('api/reports')).toBeCloseTo(5.5)
  })

  it('follows a class within a minute, while the unit changes over an hour', ({ expect }) => {
    const hour = new Array(3600).fill(second(sent(50, 10), sent(50, 1)))
    const faster = new Array(60).fill(second(sent(50, 2), sent(50, 1)))
    const moved = costsOf(after(...hour, ...faster))
    expect(moved.meanMs).toBeGreaterThan(5.3)
    // A quarter of the sum is still old: 2 + 8/4 = 4 ms.
    expect(moved.sent('api/reports') * moved.meanMs!).toBeCloseTo(4, 1)
  })

  it('has bounds, so that an error of measurement excludes no class', ({ expect }) => {
    const absurd = costsOf(after(second(sent(20, 1_000_000), sent(1_000_000, 1))))
    expect(absurd.sent('api/reports')).toBe(50)
  })
})

describe('the learner’s sample with known costs', () => {
  const tick = (counts: Counts) =>
    buildSample({
      ...{ setup: SETUP, routes: routesFeedback(counts), lengthMs: 1000, capacity: [] },
      targetOf: () => 1000,
      costs: costsOf(after(second(sent(50, 10), sent(50, 1)))),
    })

  it('has load in units of the usual mix: 505 small requests are as much as 100 mixed ones', ({
    expect,
  }) => {
    const usual = tick(second(sent(50, 10), sent(50, 1)))
    const small = tick(second(sent(5, 10), sent(500, 1)))
    for (const { admitted, offered, goodput } of [usual, small]) {
      expect(admitted.requests).toBeCloseTo(100)
      expect(offered.requests).toBeCloseTo(100)
      expect(goodput).toBeCloseTo(100)
    }
  })

  it('counts refused and failed requests by their cost too', ({ expect }) => {
    const refused = { offered: 55, failed: 11 }
    const sample = tick(second(refused, {}))
    expect(sample.offered.requests).toBeCloseTo(100)
    expect(sample.failures).toBeCloseTo(20)
  })
})

describe('the order by density in the coordinator', () => {
  const coreWith = (order: 'value' | 'density') => {
    const learner = { name: 'fixed', options: { limit: 100 } }
    const core = new CoordinatorCore()
    const setup = setupOf({ routes: ROUTES, order, learner })
    // The origin's usual minutes, then a second in which 50 reports and 600 searches ask.
    for (let i = 0; i <= 60; i++) {
      const surge = { ...sent(50, 1), offered: 600, offeredUs: 600_000 }
      const counts = second(sent(50, 10), i < 60 ? sent(50, 1) : surge)
      core.handle(feedbackOf(counts, { seq: i, toMs: i * 1000, setup }), i * 1000)
    }
    return core
  }
  const classes = (core: CoordinatorCore) => core.plan!.routes.api!.classes

  it('admits by value all reports and 50 of 600 searches, by density 550 searches and no report', ({
    expect,
  }) => {
    // 100 usual requests are 550 ms of service: 50 reports, and 50 searches beside them,
    expect(classes(coreWith('value'))).toMatchObject({
      reports: { probability: 1, rank: 0 },
      searches: { rank: 1 },
    })
    expect(classes(coreWith('value')).searches!.probability).toBeCloseTo(50 / 600, 1)
    // or 550 searches, each worth 3 for 1 ms against 10 for 10 ms, and no report.
    const { reports, searches } = classes(coreWith('density'))
    expect([searches!.rank, reports!.rank]).toEqual([0, 1])
    expect(searches!.probability).toBeCloseTo(550 / 600, 1)
    expect(reports!.probability).toBe(0)
  })

  it('survives a restart, also from a stored state without sizes', ({ expect }) => {
    const { state, plan } = coreWith('density')
    expect(new CoordinatorCore(JSON.parse(JSON.stringify(state))).plan).toEqual(plan)
    const { serviceTotals, ...older } = state!
    expect(serviceTotals.usual.requests).toBeGreaterThan(0)
    expect(new CoordinatorCore(older).warning).toBeNull()
    expect(classes(new CoordinatorCore(older)).reports!.cost).toBe(1)
    expect(new CoordinatorCore({ ...state, serviceTotals: { classes: 1 } }).warning).toContain(
      'Ignoring the stored state',
    )
  })
})
