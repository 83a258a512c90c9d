import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { Setup } from '../../src/protocol/feedback.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

/** A core with one sender, which reports every second, each time with the setup. */
function coreOf(setup: Setup = setupOf(), core = new CoordinatorCore(), passed = 0) {
  let seq = passed
  const report = (counts: Counts, lengthMs = 1000, given: Setup = setup) => {
    seq++
    const feedback = feedbackOf(counts, { seq, toMs: seq * 1000, lengthMs, setup: given })
    return core.handle(feedback, seq * 1000)
  }
  /** A report that covers no time, so that it brings no tick about. */
  const tell = (given: Setup) => report({}, 0, given)
  return { core, report, tell }
}

const arrivalsAt = (core: CoordinatorCore) => core.state!.arrivals['shop/default']!.rate

const offered = (count: number): Counts => ({
  shop: { default: { offered: count, admitted: count, requests: count, served: count } },
})

const served = (count: number, ms: number): Counts => ({
  shop: {
    default: {
      ...offered(count).shop!.default,
      latency: histogramOf(new Array(count).fill(ms)),
      latencyUs: count * ms * 1000,
      late: ms > 1000 ? count : 0,
    },
  },
})

describe('a coordinator', () => {
  it('makes a plan without a limit as soon as it knows the setup', ({ expect }) => {
    const core = new CoordinatorCore()
    const first = feedbackOf({}, { lengthMs: 0 })
    expect(core.handle(first, 1000)).toEqual({ plan: null, share: 1 })
    expect(core.tick(1000)).toBe(false)
    const told = feedbackOf({}, { seq: 1, lengthMs: 0, setup: setupOf() })
    const { plan } = core.handle(told, 2000)
    expect(plan).toMatchObject({
      ...{ version: 1, origin: 'origin', seq: 0, drawLimit: null, goodForMs: 2000 },
      setup: { id: 'a setup', sinceMs: 0 },
      routes: { shop: { limit: null, reason: 'cold', targetMs: 1000 } },
    })
  })

  it('puts the limit of the learner into the plan: 50/s of 200/s are a quarter', ({ expect }) => {
    const { core, report } = coreOf()
    const { plan } = report(offered(200))
    expect(plan).toBe(core.plan)
    expect(plan).toMatchObject({
      ...{ seq: 1, issuedAtMs: 1000, drawLimit: 50 },
      routes: { shop: { limit: 50, reason: 'fixed', classes: { default: { probability: 0.25 } } } },
    })
  })

  it('smooths the arrivals, half old and half new (Bartolini et al. 2009, §4.1)', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    report(offered(180))
    expect(arrivalsAt(core)).toBe(190)
    expect(core.plan?.seq).toBe(2)
  })

  it('ticks when the reports cover a whole tick, or at an alarm when they cover half of one', ({
    expect,
  }) => {
    const { core, report } = coreOf()
    report(offered(100))
    expect(core.plan?.seq).toBe(1)
    core.handle(feedbackOf(offered(40), { seq: 2, lengthMs: 400, toMs: 1400 }), 1400)
    expect(core.plan?.seq).toBe(1)
    expect(core.tick(1400)).toBe(false)
    core.handle(feedbackOf(offered(40), { seq: 3, lengthMs: 400, toMs: 1800 }), 1800)
    expect(core.plan?.seq).toBe(1)
    expect(core.tick(1800)).toBe(true)
    expect(core.plan?.seq).toBe(2)
    expect(arrivalsAt(core)).toBeCloseTo(100)
  })

  it('changes the target with the arrival rate, and puts it into the plan', ({ expect }) => {
    const targets = [
      { fromRate: 0, targetMs: 1000 },
      { fromRate: 100, targetMs: 3000 },
    ]
    const sla = { percentile: 95, windowMs: 300_000, targets }
    const { core, report } = coreOf(setupOf({ routes: { shop: { sla } } }))
    report(offered(50))
    expect(core.plan?.routes.shop?.targetMs).toBe(1000)
    for (let i = 0; i < 4; i++) report(offered(200))
    expect(core.plan?.routes.shop?.targetMs).toBe(3000)
  })
})

describe('a tick without reports', () => {
  it('changes nothing', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    const before = core.state
    expect(core.tick(2000)).toBe(false)
    expect(core.tick(60_000)).toBe(false)
    expect(core.state).toBe(before)
  })

  it('makes the coordinator idle 30 s after the last report', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    expect(core.isIdle(31_000)).toBe(false)
    expect(core.isIdle(31_001)).toBe(true)
    expect(new CoordinatorCore().isIdle(1_800_000_000_000)).toBe(true)
  })
})

describe('a report that is invalid or repeated', () => {
  it('only raises a counter if it is invalid', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    const { plan, state } = core
    for (const bad of [null, 7, 'x', {}, [], { ...feedbackOf({}), version: 9 }])
      expect(core.handle(bad, 2000)).toEqual({ plan, share: 0 })
    const unknown = { ...setupOf({ id: 'newer', sinceMs: 9 }), learner: { name: 'x', options: {} } }
    expect(core.handle(feedbackOf({}, { seq: 9, setup: unknown }), 2000).plan).toBe(plan)
    expect(core.state).toBe(state)
    expect(core.status()[0]!.reports).toEqual({ taken: 1, repeated: 0, refused: 7 })
  })

  it('counts as repeated if it came before', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    core.handle(feedbackOf(offered(200), { seq: 1 }), 1500)
    core.tick(1500)
    expect(arrivalsAt(core)).toBe(200)
    expect(core.status()[0]!.reports).toEqual({ taken: 1, repeated: 1, refused: 0 })
  })
})

describe('what is learned', () => {
  const aimd = setupOf({ learner: { name: 'aimd', options: {} } })

  it('survives as JSON: the same plan after a restart, and the same plans from then on', ({
    expect,
  }) => {
    const straight = coreOf(aimd)
    let restarted = coreOf(aimd)
    for (let i = 0; i < 20; i++) {
      const counts = served(100, i < 10 ? 200 : 3000)
      const stored = JSON.parse(JSON.stringify(restarted.core.state))
      restarted = coreOf(aimd, new CoordinatorCore(stored ?? undefined), i)
      straight.report(counts)
      restarted.report(counts)
      expect(restarted.core.warning).toBeNull()
      expect(restarted.core.plan).toEqual(straight.core.plan)
      expect(restarted.core.state).toEqual(straight.core.state)
    }
    expect(straight.core.plan?.routes.shop?.limit).toBeGreaterThan(0)
  })

  it('is ignored with a warning if it is damaged', ({ expect }) => {
    const { core, report } = coreOf(aimd)
    for (let i = 0; i < 5; i++) report(served(100, 200))
    const { state } = core
    const damaged: unknown[] = [
      ...[null, 7, 'state', [], {}, { ...state, version: 3 }, { ...state, setup: null }],
      ...[
        { ...state, decision: null },
        { ...state, decision: { limit: 'many', reason: 'x' } },
      ],
      ...[
        { ...state, arrivals: { 'shop/default': Number.NaN } },
        { ...state, seq: -1 },
      ],
      { ...state, setup: { ...state!.setup, learner: { name: 'forgotten', options: {} } } },
    ]
    for (const stored of damaged) {
      const again = new CoordinatorCore(stored)
      expect(again.plan, JSON.stringify(stored)).toBeNull()
      expect(again.warning).toContain('Ignoring the stored state')
      expect(again.handle(feedbackOf({}, { lengthMs: 0, setup: aimd }), 1000).plan?.seq).toBe(0)
    }
    expect(new CoordinatorCore().warning).toBeNull()
  })

  it('is learned again if only the learner’s part is damaged; the last limit stays', ({
    expect,
  }) => {
    const { core, report } = coreOf(aimd)
    for (let i = 0; i < 5; i++) report(served(100, 200))
    const again = new CoordinatorCore({ ...core.state, learner: { version: 99 } })
    expect(again.warning).toContain('from scratch')
    expect(again.plan?.routes.shop?.limit).toBe(core.plan?.routes.shop?.limit)
  })

  it('is kept when a newer setup comes', ({ expect }) => {
    const { core, report, tell } = coreOf(aimd)
    for (let i = 0; i < 5; i++) report(served(100, 200))
    const before = core.state!
    const buyers = { name: 'buyers', value: 9, guaranteed: 0, tier: 'default' }
    const shop = { classes: [buyers, ...aimd.routes[0]!.classes] }
    const newer = {
      ...setupOf({ id: 'newer', sinceMs: 5000, routes: { shop } }),
      learner: aimd.learner,
    }
    const { plan } = tell(newer)
    expect(plan?.setup).toEqual({ id: 'newer', sinceMs: 5000 })
    expect(Object.keys(plan!.routes.shop!.classes)).toEqual(['buyers', 'default'])
    expect(plan?.routes.shop?.limit).toBe(before.decision.limit)
    expect(core.state?.learner).toEqual(before.learner)
    expect(plan?.seq).toBe(before.seq)
  })

  it('is not changed by an older setup, or by the same one', ({ expect }) => {
    const { core, report, tell } = coreOf(setupOf({ sinceMs: 100 }))
    report(offered(10))
    const { plan } = core
    expect(tell(setupOf({ id: 'older', sinceMs: 99 })).plan).toBe(plan)
    expect(tell(setupOf({ sinceMs: 200 })).plan).toBe(plan)
  })
})

describe('the status of a route', () => {
  it('has the plan, the learner’s state and the last minute', ({ expect }) => {
    const { core, report } = coreOf()
    expect(core.status()).toEqual([])
    report(served(200, 100))
    expect(core.status()).toMatchObject([
      {
        ...{ name: 'shop', origin: 'origin', granularity: 'session', mode: 'enforce', senders: 1 },
        learner: { name: 'fixed', reason: 'fixed', state: { version: 1 } },
        plan: { limit: 50 },
        lastMinute: { seconds: 1, offered: 200, classes: { default: { served: 200 } } },
      },
    ])
    expect(JSON.parse(JSON.stringify(core.status()))).toEqual(core.status())
  })
})
