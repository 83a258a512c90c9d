import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { histogramOf } from '../../src/lib/histogram.ts'
import type { Setup } from '../../src/protocol/feedback.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'

/** One sender that reports every second, with the setup each time, and a tick after each. */
function coreOf(setup: Setup = setupOf(), core = new CoordinatorCore(), passed = 0) {
  let seq = passed
  const report = (counts: Counts, given: Setup = setup) => {
    seq++
    const feedback = feedbackOf(counts, { seq, toMs: seq * 1000, setup: given })
    return core.report(feedback, seq * 1000)
  }
  const second = (counts: Counts): boolean => {
    report(counts)
    return core.tickIfDue(seq * 1000)
  }
  return { core, report, second }
}

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

describe('report, tick, plan', () => {
  it('start with a plan without a limit, as soon as the setup is known', ({ expect }) => {
    const core = new CoordinatorCore()
    expect(core.report(feedbackOf({}), 1000)).toEqual({ plan: null, share: 1 })
    expect(core.tick(1000)).toBe(false)
    const { plan } = core.report(feedbackOf({}, { seq: 1, setup: setupOf() }), 2000)
    expect(plan).toMatchObject({
      ...{ version: 1, origin: 'origin', seq: 0, drawLimit: null, goodForMs: 3000 },
      setup: { id: 'a setup', sinceMs: 0 },
      routes: { shop: { limit: null, reason: 'cold', targetMs: 1000 } },
    })
  })

  it('show the limit of the "fixed" learner: 50/s of 200/s are a quarter', ({ expect }) => {
    const { core, second } = coreOf()
    expect(second(offered(200))).toBe(true)
    expect(core.plan).toMatchObject({
      ...{ seq: 1, issuedAtMs: 1000, drawLimit: 50, offered: 200 },
      routes: { shop: { limit: 50, reason: 'fixed', classes: { default: { probability: 0.25 } } } },
    })
  })

  it('smooth the arrivals, half old and half new (SOC §4.1)', ({ expect }) => {
    const { core, second } = coreOf()
    second(offered(200))
    second(offered(180))
    expect(core.plan?.offered).toBe(190)
    expect(core.plan?.seq).toBe(2)
  })

  it('wait until a whole tick is covered, and an alarm takes half of one', ({ expect }) => {
    const core = new CoordinatorCore()
    const setup = setupOf()
    core.report(feedbackOf(offered(40), { lengthMs: 400, toMs: 400, setup }), 400)
    expect(core.tickIfDue(400)).toBe(false)
    expect(core.tick(400)).toBe(false)
    core.report(feedbackOf(offered(40), { seq: 1, lengthMs: 400, toMs: 800 }), 800)
    expect(core.tickIfDue(800)).toBe(false)
    expect(core.tick(800)).toBe(true)
    expect(core.plan?.offered).toBeCloseTo(100)
  })

  it('move the target with the arrival rate, and tell the edge', ({ expect }) => {
    const targets = [
      { fromRate: 0, targetMs: 1000 },
      { fromRate: 100, targetMs: 3000 },
    ]
    const sla = { percentile: 95, windowMs: 300_000, targets }
    const { core, second } = coreOf(setupOf({ routes: { shop: { sla } } }))
    second(offered(50))
    expect(core.plan?.routes.shop?.targetMs).toBe(1000)
    for (let i = 0; i < 4; i++) second(offered(200))
    expect(core.plan?.routes.shop?.targetMs).toBe(3000)
  })
})

describe('a tick without reports', () => {
  it('changes nothing', ({ expect }) => {
    const { core, second } = coreOf()
    second(offered(200))
    const before = core.state
    expect(core.tick(2000)).toBe(false)
    expect(core.tickIfDue(60_000)).toBe(false)
    expect(core.state).toBe(before)
  })

  it('makes a core idle 30 s after the last report', ({ expect }) => {
    const { core, second } = coreOf()
    second(offered(200))
    expect(core.isIdle(31_000)).toBe(false)
    expect(core.isIdle(31_001)).toBe(true)
    expect(new CoordinatorCore().isIdle(1_800_000_000_000)).toBe(true)
  })
})

describe('reports that are none', () => {
  it('only raise a counter', ({ expect }) => {
    const { core, second } = coreOf()
    second(offered(200))
    const { plan, state } = core
    for (const bad of [null, 7, 'x', {}, [], { ...feedbackOf({}), version: 9 }])
      expect(core.report(bad, 2000)).toEqual({ plan, share: 0 })
    const unknown = { ...setupOf({ id: 'newer', sinceMs: 9 }), learner: { name: 'x', options: {} } }
    expect(core.report(feedbackOf({}, { seq: 9, setup: unknown }), 2000).plan).toBe(plan)
    expect(core.state).toBe(state)
    expect(core.status()[0]!.reports).toEqual({ taken: 1, repeated: 0, refused: 7 })
  })

  it('count as repeated where they came before', ({ expect }) => {
    const { core, report } = coreOf()
    report(offered(200))
    core.report(feedbackOf(offered(200), { seq: 1 }), 1500)
    core.tick(1500)
    expect(core.plan?.offered).toBe(200)
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
      straight.second(counts)
      restarted.second(counts)
      expect(restarted.core.note).toBeNull()
      expect(restarted.core.plan).toEqual(straight.core.plan)
      expect(restarted.core.state).toEqual(straight.core.state)
    }
    expect(straight.core.plan?.routes.shop?.limit).toBeGreaterThan(0)
  })

  it('is left aside where it is damaged, which is said, and all starts afresh', ({ expect }) => {
    const { core, second } = coreOf(aimd)
    for (let i = 0; i < 5; i++) second(served(100, 200))
    const { state } = core
    const damaged: unknown[] = [
      ...[null, 7, 'state', [], {}, { ...state, version: 2 }, { ...state, setup: null }],
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
      expect(again.note).toContain('left aside')
      expect(again.report(feedbackOf({}, { setup: aimd }), 1000).plan?.seq).toBe(0)
    }
    expect(new CoordinatorCore().note).toBeNull()
  })

  it('is learned anew where only the learner’s part is damaged; the last limit holds', ({
    expect,
  }) => {
    const { core, second } = coreOf(aimd)
    for (let i = 0; i < 5; i++) second(served(100, 200))
    const again = new CoordinatorCore({ ...core.state, learner: { version: 99 } })
    expect(again.note).toContain('from scratch')
    expect(again.plan?.routes.shop?.limit).toBe(core.plan?.routes.shop?.limit)
  })

  it('is kept when a newer setup replaces the older one', ({ expect }) => {
    const { core, second, report } = coreOf(aimd)
    for (let i = 0; i < 5; i++) second(served(100, 200))
    const before = core.state!
    const buyers = { name: 'buyers', value: 9, guaranteed: 0, tier: 'default' }
    const shop = { classes: [buyers, ...aimd.routes[0]!.classes] }
    const newer = {
      ...setupOf({ id: 'newer', sinceMs: 5000, routes: { shop } }),
      learner: aimd.learner,
    }
    const { plan } = report({}, newer)
    expect(plan?.setup).toEqual({ id: 'newer', sinceMs: 5000 })
    expect(Object.keys(plan!.routes.shop!.classes)).toEqual(['buyers', 'default'])
    expect(plan?.routes.shop?.limit).toBe(before.decision.limit)
    expect(core.state?.learner).toEqual(before.learner)
    expect(plan?.seq).toBe(before.seq)
  })

  it('is not touched by an older setup, or the same again', ({ expect }) => {
    const { core, second, report } = coreOf(setupOf({ sinceMs: 100 }))
    second(offered(10))
    const { plan } = core
    expect(report({}, setupOf({ id: 'older', sinceMs: 99 })).plan).toBe(plan)
    expect(report({}, setupOf({ sinceMs: 200 })).plan).toBe(plan)
  })
})

describe('the status of a route', () => {
  it('has the plan, the learner’s state and the last minute', ({ expect }) => {
    const { core, second } = coreOf()
    expect(core.status()).toEqual([])
    second(served(200, 100))
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
