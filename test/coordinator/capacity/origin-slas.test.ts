import { describe, it } from 'vitest'
import { originSlas } from '../../../src/coordinator/capacity/origin-slas.ts'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import { targetMsAt } from '../../../src/coordinator/sla-target.ts'
import { resolvedRoute } from '../../support/config.ts'
import { CLASS, feedbackOf, setupOf } from '../../support/feedback.ts'

const slaOf = (...rows: readonly [number, number][]) => ({
  percentile: 95,
  targets: rows.map(([fromRate, targetMs]) => ({ fromRate, targetMs })),
  windowMs: 60_000,
})
const TABLE = slaOf([0, 500], [10, 900])
const rates = (given: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(given).map(([key, rate]) => [key, { rate }]))

describe('the SLA of a route, by the rate of its origin', () => {
  it('is the configured one where the route has the origin for itself', ({ expect }) => {
    const setup = setupOf({ routes: { shop: { granularity: 'request', sla: TABLE } } })
    expect(originSlas(setup, rates({ 'shop/default': 7 }), 1)).toEqual([TABLE])
  })

  it('has the row that the route’s own part of the arrivals reaches', ({ expect }) => {
    const setup = setupOf({
      routes: {
        shop: { granularity: 'request', sla: TABLE },
        api: { granularity: 'request', sla: slaOf([0, 700]) },
      },
    })
    // A quarter is the shop's: it reaches 10/s when the origin gets 40/s.
    const arrivals = rates({ 'shop/default': 5, 'api/default': 15 })
    const [shop] = originSlas(setup, arrivals, 1)
    expect([39, 41].map((rate) => targetMsAt(shop!, rate))).toEqual([500, 900])
  })

  it('counts sessions by their requests where other routes count requests', ({ expect }) => {
    const setup = setupOf({
      routes: { shop: { sla: TABLE }, api: { granularity: 'request', sla: slaOf([0, 700]) } },
    })
    // 5 sessions/s of 8 requests and 60 requests/s: 100/s. The shop reaches 10 sessions/s at 200/s.
    const arrivals = rates({ 'shop/default': 5, 'api/default': 60 })
    const [shop] = originSlas(setup, arrivals, 8)
    expect([199, 201].map((rate) => targetMsAt(shop!, rate))).toEqual([500, 900])
  })

  it('comes with those of its classes, each by the part of the arrivals that it judges', ({
    expect,
  }) => {
    const own = { ...CLASS, name: 'search', sla: slaOf([0, 3000], [25, 6000]) }
    const shop = { granularity: 'request', sla: TABLE, classes: [own, CLASS] } as const
    const arrivals = rates({ 'shop/search': 50, 'shop/default': 5 })
    // 55/s: the pages reach 10/s at 110/s, and the searches 25/s at 27.5/s.
    expect(originSlas(setupOf({ routes: { shop } }), arrivals, 1)).toEqual([
      slaOf([0, 500], [110, 900]),
      { ...slaOf([0, 3000], [27.5, 6000]), ofClass: 'shop/search' },
    ])
  })

  it('comes with those of its classes on session routes, too', ({ expect }) => {
    const own = { ...CLASS, name: 'checkout', sla: slaOf([0, 300], [5, 400]) }
    const setup = setupOf({ routes: { shop: { sla: TABLE, classes: [own, CLASS] } } })
    const arrivals = rates({ 'shop/checkout': 2, 'shop/default': 8 })
    expect(originSlas(setup, arrivals, 10)).toEqual([
      slaOf([0, 500], [12.5, 900]),
      { ...slaOf([0, 300], [25, 400]), ofClass: 'shop/checkout' },
    ])
  })

  it('is left out where each class has one of its own', ({ expect }) => {
    const own = { ...CLASS, name: 'search', sla: slaOf([0, 3000]) }
    const setup = setupOf({ routes: { shop: { granularity: 'request', classes: [own] } } })
    expect(originSlas(setup, rates({ 'shop/search': 50 }), 1)).toEqual([
      { ...slaOf([0, 3000]), ofClass: 'shop/search' },
    ])
  })

  it('is that of the first row while nobody comes', ({ expect }) => {
    const setup = setupOf({ routes: { shop: { granularity: 'request', sla: TABLE } } })
    expect(originSlas(setup, {}, 1)).toEqual([slaOf([0, 500])])
  })
})

describe('the servers of an origin with two routes', () => {
  it('are planned by the rows that the routes’ own rates reach', ({ expect }) => {
    const { capacity } = resolvedRoute({ capacity: { tiers: [{ name: 'app', max: 20 }] } })
    const setup = {
      ...setupOf({
        routes: {
          shop: { granularity: 'request', sla: TABLE },
          api: { granularity: 'request', sla: slaOf([0, 950]) },
        },
      }),
      capacity: capacity!,
    }
    const core = new CoordinatorCore()
    const seen = (perSecond: number) => ({
      ...{ offered: perSecond, admitted: perSecond, requests: perSecond, served: perSecond },
    })
    // 12 of 20 requests/s are the shop's, then 5 of 20.
    const plannedFor = (shop: number, fromS: number) => {
      const counts = { shop: { default: seen(shop) }, api: { default: seen(20 - shop) } }
      for (let seq = fromS; seq < fromS + 120; seq++) {
        const toMs = 1000 * (seq + 1)
        core.handle(feedbackOf(counts, { seq, toMs, setup }), toMs)
      }
      return core.capacity.state!.last!.sla.targets
    }
    const rowsAt = (rate: number, targets: ReturnType<typeof plannedFor>) =>
      targetMsAt({ ...TABLE, targets }, rate)
    expect(rowsAt(20, plannedFor(12, 0))).toBe(900)
    expect(rowsAt(20, plannedFor(5, 120))).toBe(500)
  })
})
