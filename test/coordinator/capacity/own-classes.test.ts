import { describe, it } from 'vitest'
import { jointMeanTargetMs } from '../../../src/coordinator/capacity/mean-target.ts'
import { isCapacityState } from '../../../src/coordinator/capacity/planner-state.ts'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import type { Feedback, RouteSetup } from '../../../src/protocol/feedback.ts'
import { resolvedRoute } from '../../support/config.ts'
import { CLASS, type Counts, feedbackOf, setupOf } from '../../support/feedback.ts'
import { histogramOf } from '../../support/histogram.ts'

const slaOf = (targetMs: number) => ({
  percentile: 95,
  targets: [{ fromRate: 0, targetMs }],
  windowMs: 60_000,
})
const DAY_MS = 86_400_000
const SEARCH = { ...CLASS, name: 'search', sla: slaOf(3000) }
const SHOP = {
  granularity: 'request',
  sla: slaOf(500),
  classes: [SEARCH, CLASS],
} as const satisfies Partial<RouteSetup>

/** As many answers in a second, with exponential times. */
const answered = (perSecond: number, meanMs: number) => ({
  ...{ offered: perSecond, admitted: perSecond, requests: perSecond, served: perSecond },
  latency: histogramOf(exponentialMs(perSecond, meanMs)),
})

const exponentialMs = (count: number, meanMs: number): number[] =>
  Array.from({ length: count }, (_, i) => -meanMs * Math.log(1 - (i + 0.5) / count))

/** A coordinator after two minutes of these counts. */
function coreAfter(
  counts: Counts,
  shop: Partial<RouteSetup> = SHOP,
  tier: object = {},
  tiers: Feedback['tiers'] = undefined,
): CoordinatorCore {
  const { capacity } = resolvedRoute({
    capacity: { tiers: [{ name: 'app', max: 20, ...tier }], react: { everyS: 10, pauseS: 5 } },
  })
  const setup = { ...setupOf({ routes: { shop } }), capacity: capacity! }
  const core = new CoordinatorCore()
  for (let seq = 0; seq < 120; seq++) {
    const toMs = 1000 * (seq + 1)
    const report = feedbackOf(counts, { seq, toMs, setup })
    core.handle(tiers === undefined ? report : { ...report, tiers }, toMs)
  }
  return core
}

const PAGES_AND_SEARCHES: Counts = {
  shop: { search: answered(20, 500), default: answered(20, 50) },
}

describe('the servers of an origin with a class that is limited by itself', () => {
  it('are planned for its arrivals, too', ({ expect }) => {
    const { answer } = coreAfter(PAGES_AND_SEARCHES).capacity
    expect(answer!.observedRate).toBeCloseTo(40, 6)
    expect(answer!.plannedRate).toBeGreaterThan(39)
  })

  it('carry what it is served beside the limit of the others, where they say nothing', ({
    expect,
  }) => {
    // The others' limit is 50/s, and 20 searches/s are served: 70/s by one server.
    const { app } = coreAfter(PAGES_AND_SEARCHES).capacity.answer!.tiers
    expect(app).toMatchObject({ source: 'learner', current: 1 })
    expect(app!.serverRate).toBeCloseTo(70, 0)
  })

  it('keep its target if it is stricter than that of its route', ({ expect }) => {
    const quick = { ...SHOP, classes: [{ ...SEARCH, sla: slaOf(200) }, CLASS] }
    expect(coreAfter(PAGES_AND_SEARCHES, quick).capacity.answer!.targetMs).toBe(200)
    expect(coreAfter(PAGES_AND_SEARCHES).capacity.answer!.targetMs).toBe(500)
  })

  it('leave the others what a tier that cannot grow carries beside it', ({ expect }) => {
    // One server with 20 ms of work takes a little less than 50/s.
    const counts = { shop: { search: answered(45, 500), default: answered(45, 50) } }
    const core = coreAfter(counts, SHOP, { max: 1, serviceMs: 20 })
    const held = core.capacity.answer!.heldRate!
    expect(held).toBeGreaterThan(30)
    expect(held).toBeLessThan(50)
    const { limit, reason, classes } = core.plan!.routes.shop!
    expect(reason).toBe('tier')
    expect(limit! / (held / 2)).toBeCloseTo(1, 1)
    expect(classes.search!.own!.drawLimit! / (held / 2)).toBeCloseTo(1, 1)
  })

  it('leave the others what it does not get by its own limit', ({ expect }) => {
    // Its limit is 50/s, of 150/s. The others would get a quarter by arrivals.
    const counts = { shop: { search: answered(150, 500), default: answered(50, 50) } }
    const core = coreAfter(counts, SHOP, { max: 1, serviceMs: 10 })
    const held = core.capacity.answer!.heldRate!
    const { limit, classes } = core.plan!.routes.shop!
    expect(classes.search!.own!.drawLimit).toBeCloseTo(50, 0)
    expect(limit! / (held - 50)).toBeCloseTo(1, 1)
  })

  it('are modelled although its slow answers would never keep the target of the others', ({
    expect,
  }) => {
    const times = [...exponentialMs(20, 1500), ...exponentialMs(180, 30)]
    const us = Math.round(1000 * times.reduce((sum, ms) => sum + ms, 0))
    const app = { answers: 200, visits: 200, us, times: histogramOf(times), loads: 0, loadUs: 0 }
    const counts = { shop: { search: answered(20, 1500), default: answered(180, 30) } }
    const classes = [{ ...SEARCH, sla: slaOf(6000) }, CLASS]
    const { answer } = coreAfter(counts, { ...SHOP, classes }, { workers: 64 }, { app }).capacity
    expect(answer!.tiers.app!.source).toBe('model')
    expect(answer!.tiers.app!.responseMs!).toBeGreaterThan(answer!.tiers.app!.serviceMs!)
  })

  it('are known after a restart', ({ expect }) => {
    const { state } = coreAfter(PAGES_AND_SEARCHES).capacity
    expect(Object.keys(state!.load.own!)).toEqual(['shop/search'])
    expect(isCapacityState(JSON.parse(JSON.stringify(state)))).toBe(true)
  })
})

describe('the servers of a route of sessions', () => {
  it('keep the stricter target of a class', ({ expect }) => {
    const checkout = { ...CLASS, name: 'checkout', sla: slaOf(300) }
    const shop = { sla: slaOf(500), classes: [checkout, CLASS] }
    const counts = { shop: { checkout: answered(2, 40), default: answered(20, 50) } }
    const { answer } = coreAfter(counts, shop).capacity
    expect(answer).toMatchObject({ targetMs: 300, unit: 'session' })
    expect(answer!.observedRate).toBeCloseTo(22, 6)
  })
})

describe('the learner of the others', () => {
  it('is told of their part of the peak that is foreseen', ({ expect }) => {
    const { capacity } = coreAfter(PAGES_AND_SEARCHES)
    capacity.restoreHistory([{ hour: 0, rates: [60, 60] }])
    const alone = capacity.knownPeak(DAY_MS, { shared: 40, own: 0, ownAdmitted: 0 })
    const half = capacity.knownPeak(DAY_MS, { shared: 20, own: 20, ownAdmitted: 5 })
    expect(half! / alone!).toBeCloseTo(0.5, 6)
  })
})

describe('the mean response time at which several SLAs are kept', () => {
  const times = (meanMs: number) => histogramOf(exponentialMs(1000, meanMs))
  const judged = (targetMs: number, meanMs: number) => ({
    ...{ percentile: 95, targetMs },
    measured: times(meanMs),
  })

  it('is that of the SLA where there is only one, whatever the work', ({ expect }) => {
    expect(jointMeanTargetMs([judged(500, 50)], 0)).toBeCloseTo(500 / Math.log(20), -1)
    expect(jointMeanTargetMs([judged(500, 50)], 90)).toBe(jointMeanTargetMs([judged(500, 50)], 0))
  })

  it('is no time at all where the work of a class alone is longer than its target', ({
    expect,
  }) => {
    expect(jointMeanTargetMs([judged(500, 50), judged(300, 2000)], 1000)).toBe(0)
  })

  it('lets all wait as long as the class may that may wait least', ({ expect }) => {
    // 300 ms of work on average: 55 ms for pages and 545 ms for searches. Means that keep the targets: 167 and 2003 ms.
    const both = [judged(500, 50), judged(6000, 500)]
    expect(jointMeanTargetMs(both, 300) / (300 + 167 - 55)).toBeCloseTo(1, 1)
    const strict = [judged(500, 50), judged(1800, 500)]
    expect(jointMeanTargetMs(strict, 300) / (300 + 601 - 545)).toBeCloseTo(1, 1)
  })
})
