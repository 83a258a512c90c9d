import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { Actions } from '../../src/coordinator/operator/actions.ts'
import { OperatorDesk } from '../../src/coordinator/operator/desk.ts'
import type { RouteHistory } from '../../src/coordinator/operator/history.ts'
import { snapshotOf } from '../../src/coordinator/operator/snapshot.ts'
import { MemoryStore } from '../../src/coordinator/operator/store.ts'
import type { RouteSetup } from '../../src/protocol/feedback.ts'
import { CLASS, type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const slaOf = (...targets: readonly [number, number][]) => ({
  percentile: 95,
  targets: targets.map(([fromRate, targetMs]) => ({ fromRate, targetMs })),
  windowMs: 60_000,
})
const SEARCH = { ...CLASS, name: 'search', sla: slaOf([0, 3000]) }
const SHOP = {
  granularity: 'request',
  sla: slaOf([0, 500]),
  classes: [SEARCH, CLASS],
} as const satisfies Partial<RouteSetup>

const answered = (perSecond: number, ms: number) => ({
  ...{ offered: perSecond, admitted: perSecond, requests: perSecond, served: perSecond },
  ...{ inFlight: 1, latencyUs: perSecond * ms * 1000 },
  latency: histogramOf(Array.from({ length: perSecond }, () => ms)),
})

/** A coordinator after some seconds of these counts. */
function coreAfter(shop: Partial<RouteSetup>, counts: Counts, seconds = 5) {
  const core = new CoordinatorCore()
  const setup = setupOf({ learner: { name: 'fixed', options: { limit: 50 } }, routes: { shop } })
  for (let seq = 0; seq < seconds; seq++) {
    const toMs = 1000 * (seq + 1)
    core.handle(feedbackOf(counts, { seq, toMs, setup }), toMs)
  }
  return core
}

/** Pages in 50 ms, and as many searches in 2 s, which is within their own target. */
const HEALTHY: Counts = { shop: { search: answered(20, 2000), default: answered(20, 50) } }

describe('a slow class that is within the target of its own', () => {
  it('does not make its route say that it is over the target', ({ expect }) => {
    const [status] = coreAfter(SHOP, HEALTHY).status()
    expect(status!.summary.text).toContain('within the target')
    expect(status!.summary.level).toBe('calm')
  })

  it('is not in the response times of its route, but in its own', ({ expect }) => {
    const [status] = coreAfter(SHOP, HEALTHY).status()
    const { now, lastMinute } = status!
    expect([now!.p95Ms, lastMinute.p95Ms].every((ms) => ms! < 100)).toBe(true)
    expect(lastMinute.classes.search!.p95Ms).toBeGreaterThan(1900)
    expect(now!.served).toBe(40)
  })

  it('has its target among the levels that metrics show, and no other class has', ({ expect }) => {
    const shop = { ...SHOP, sla: slaOf([0, 500], [10, 900]) }
    const core = coreAfter(shop, HEALTHY, 20)
    const { routes } = snapshotOf(core, {}, core.reports, 20_000)!
    expect(routes[0]).toMatchObject({ targetMs: 900, classTargetsMs: { search: 3000 } })
    expect(Object.keys(routes[0]!.classTargetsMs!)).toEqual(['search'])
  })

  it('does not lower the quality of its route', ({ expect }) => {
    const shop = { ...SHOP, quality: { min: 0.2, steps: 4 } }
    const { plan } = coreAfter(shop, HEALTHY, 20)
    expect(plan!.routes.shop!.quality).toMatchObject({ step: 0, value: 1 })
  })

  it('leaves the target of the route to the others', ({ expect }) => {
    const late = { shop: { search: answered(20, 50), default: answered(20, 2000) } }
    const [status] = coreAfter(SHOP, late).status()
    expect(status!.summary.text).toContain('over the target')
  })
})

describe('the quality of a route', () => {
  it('follows the row of the table that is in force', ({ expect }) => {
    const withTable = (row: number) => ({
      ...{ ...SHOP, sla: slaOf([0, 100], [10, row]), classes: [CLASS] },
      quality: { min: 0.2, steps: 4 },
    })
    const stepAt = (row: number) => {
      const counts = { shop: { default: answered(40, 200) } }
      return coreAfter(withTable(row), counts, 60).plan!.routes.shop!.quality!.step
    }
    expect(stepAt(5000)).toBe(0)
    expect(stepAt(150)).toBeGreaterThan(0)
  })
})

describe('what the audit log says of a target', () => {
  it('is the row of the table that was in force', ({ expect }) => {
    const shop = { ...SHOP, sla: slaOf([0, 500], [10, 900]), classes: [CLASS] }
    const core = coreAfter(shop, { shop: { default: answered(40, 50) } }, 20)
    expect(core.plan!.routes.shop!.targetMs).toBe(900)
    const actions = new Actions(core, new MemoryStore(), 20_000)
    const action = { action: 'target', targetMs: 700 } as const
    const asked = {
      ...{ route: 'shop', action, forMs: null, note: null, setup: setupOf() },
      operator: { by: 'Ada', via: 'token' } as const,
    }
    expect(actions.act('an id', asked as never, 20_000)).toMatchObject({
      ...{ from: 900, to: 700 },
      text: 'Ada set the target from 900 ms to 700 ms.',
    })
    const undone = actions.undo('another', 'an id', { by: 'Ada', via: 'token' } as never, 21_000)
    expect(undone).toMatchObject({ from: 700, to: 900 })
  })
})

describe('the chart of the last minute', () => {
  it('has the limit and the row of the table that held in each second', ({ expect }) => {
    const setup = setupOf({
      learner: { name: 'fixed', options: { limit: 50 } },
      routes: { shop: { ...SHOP, sla: slaOf([0, 500], [10, 900]), classes: [CLASS] } },
    })
    const core = new CoordinatorCore()
    const desk = new OperatorDesk(core, new MemoryStore(), 0, { tell: () => {} })
    for (let seq = 0; seq < 40; seq++) {
      const toMs = 1000 * (seq + 1)
      const counts = { shop: { default: answered(seq < 20 ? 5 : 40, 50) } }
      core.handle(feedbackOf(counts, { seq, toMs, setup }), toMs)
      desk.follow(toMs)
    }
    const answer = desk.handle({ op: 'history', route: 'shop', range: 'minute' }, 40_000)
    const { points } = (answer as { value: RouteHistory }).value
    const targets = points.map(({ targetMs }) => targetMs)
    expect(targets.slice(0, 20).every((ms) => ms === 500)).toBe(true)
    expect(targets.slice(-10).every((ms) => ms === 900)).toBe(true)
    expect(targets.at(-1)).toBe(core.plan!.routes.shop!.targetMs)
  })
})
