import { describe, it } from 'vitest'
import type { Route } from '../../src/config/config.ts'
import { OriginState } from '../../src/gate/origin-state.ts'
import type { PlanCache } from '../../src/gate/plan-cache.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { FEEDBACK_VERSION } from '../../src/protocol/feedback.ts'
import { NO_CLASS_FEEDBACK } from '../../src/protocol/merge-reports.ts'
import { PLAN_VERSION, type Plan } from '../../src/protocol/plan.ts'
import { background, FakePort, FakeRuntime, settle } from '../support/fakes.ts'
import { type Planned, planOf, routeOf, routesOf } from '../support/requests.ts'

function isolateOf(routes: readonly Route[] = [routeOf()], cache: PlanCache | null = null) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const state = new OriginState(routes, runtime)
  const reporter = new Reporter(routes, state, { sender: 'isolate 1', port, cache, runtime })
  const touch = (): void => reporter.touch(background, runtime.now())
  /** The target shows which plan is in force. */
  const targetMs = (): number => state.countersOf('shop').classes[0]!.targetMs
  /** A request every 100 ms. */
  const busyFor = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      touch()
      await runtime.advance(100)
    }
  }
  const answerWith = (plan: Plan | null, share = 1): void => {
    port.answer = async () => ({ plan, share, fairPart: share })
  }
  return { runtime, port, state, reporter, targetMs, touch, busyFor, answerWith }
}

describe('the first report of an isolate', () => {
  it('is sent at once when the first request arrives, and is empty', ({ expect }) => {
    const { state, reporter, port, touch, runtime } = isolateOf()
    expect(reporter.isNew).toBe(true)
    touch()
    state.countersOf('shop').classes[0]!.offered++
    expect(reporter.isNew).toBe(false)
    expect(port.reports).toHaveLength(1)
    expect(port.last).toMatchObject({
      version: FEEDBACK_VERSION,
      origin: 'https://origin.example.com',
      sender: 'isolate 1',
      seq: 0,
      fromMs: runtime.now(),
      toMs: runtime.now(),
      routes: { shop: { classes: { default: NO_CLASS_FEEDBACK }, ages: [] } },
    })
  })

  it('puts the returned plan into force', async ({ expect }) => {
    const { state, touch, answerWith } = isolateOf()
    answerWith(planOf())
    expect(state.admission.hasPlan).toBe(false)
    touch()
    await settle()
    expect(state.admission.hasPlan).toBe(true)
  })
})

describe('reports', () => {
  it('are sent at most once a second, however many requests come', async ({ expect }) => {
    const { port, busyFor } = isolateOf()
    await busyFor(20_000)
    const gaps = port.reports.slice(1).map(({ toMs }, i) => toMs - port.reports[i]!.toMs)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000)
    expect(port.reports.length).toBeGreaterThanOrEqual(18)
  })

  it('are sent only behind a request: an idle isolate sends none', async ({ expect }) => {
    const { port, touch, runtime } = isolateOf()
    touch()
    await runtime.advance(60_000)
    expect(port.reports).toHaveLength(1)
    touch()
    await runtime.advance(60_000)
    expect(port.reports).toHaveLength(2)
  })

  it('have no gaps, have numbers, and count everything once', async ({ expect }) => {
    const { state, port, busyFor } = isolateOf()
    const [counters] = state.countersOf('shop').classes
    for (let i = 0; i < 10; i++) {
      counters!.offered += 7
      await busyFor(700)
    }
    await busyFor(2_000)
    const { reports } = port
    expect(reports.map(({ seq }) => seq)).toEqual(reports.map((_, i) => i))
    for (const [i, { fromMs }] of reports.slice(1).entries()) expect(fromMs).toBe(reports[i]!.toMs)
    const offered = reports.map(({ routes }) => routes.shop!.classes.default!.offered)
    expect(offered.reduce((sum, count) => sum + count, 0)).toBe(70)
  })

  it('cover all routes to the origin together', ({ expect }) => {
    const { port, touch } = isolateOf(
      routesOf({ match: '/shop/*' }, { name: 'api', match: '/api/*' }),
    )
    touch()
    expect(Object.keys(port.last.routes)).toEqual(['shop', 'api'])
  })

  it('say when the plan was issued by which their draws were decided', async ({ expect }) => {
    const { port, busyFor, answerWith } = isolateOf()
    answerWith({ ...planOf(), issuedAtMs: 5000 })
    await busyFor(1100)
    answerWith({ ...planOf({ seq: 2 }), issuedAtMs: 6000 })
    await busyFor(2200)
    expect(port.reports.slice(0, 4).map(({ planIssuedAtMs }) => planIssuedAtMs)).toEqual([
      undefined,
      5000,
      5000,
      6000,
    ])
  })

  it('are scheduled again if the last one ended with its request', async ({ expect }) => {
    const { port, touch, runtime } = isolateOf()
    touch()
    await settle()
    touch()
    runtime.killSleepers()
    await runtime.advance(4_900)
    touch()
    await runtime.advance(50)
    expect(port.reports).toHaveLength(1)
    await runtime.advance(50)
    touch()
    await runtime.advance(1_000)
    expect(port.reports).toHaveLength(2)
  })
})

describe('the end of a request', () => {
  const lease = { load: 1, forMs: 60_000, holds: 'all' as const, asks: 0.1 }

  /** Reports within the moment after a request has ended, a moment after the last answer. */
  async function reportsAtEnd(keys: { readonly reportsEnds?: true }): Promise<number> {
    const route = routeOf()
    const { port, reporter, touch, runtime } = isolateOf([route])
    const plan = planOf({ inFlightCap: 4 })
    port.answer = async () => ({ plan, share: 0.01, lease: { ...lease, ...keys }, slots: null })
    touch()
    await runtime.advance(100)
    const before = port.reports.length
    reporter.ended(background, route, 0)
    await runtime.advance(5)
    return port.reports.length - before
  }

  it('is reported at once where the relay holds the cap on requests in flight', async ({
    expect,
  }) => {
    expect(await reportsAtEnd({ reportsEnds: true })).toBe(1)
  })

  it('waits for the next report elsewhere', async ({ expect }) => {
    expect(await reportsAtEnd({})).toBe(0)
  })
})

describe('the setup', () => {
  const isTold = ({ port }: { port: FakePort }): boolean => port.last.setup !== undefined

  it('is sent with every report until the plan shows that it is known', async ({ expect }) => {
    const isolate = isolateOf()
    await isolate.busyFor(3_000)
    expect(isolate.port.reports.every(({ setup }) => setup !== undefined)).toBe(true)
    const { id, sinceMs } = isolate.port.last.setup!
    isolate.answerWith(planOf({ setup: { id: 'an older one', sinceMs: sinceMs - 1 } }))
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(true)
    isolate.answerWith(planOf({ setup: { id, sinceMs: sinceMs - 1 } }))
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(false)
  })

  it('is not sent if a later one is in force', async ({ expect }) => {
    const isolate = isolateOf()
    isolate.answerWith(planOf({ setup: { id: 'a later one', sinceMs: isolate.runtime.now() + 1 } }))
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(false)
  })

  it('is sent again to a coordinator that has lost its state', async ({ expect }) => {
    const isolate = isolateOf()
    const known: Planned = {
      targetMs: 300,
      setup: { id: 'a later one', sinceMs: isolate.runtime.now() + 1 },
    }
    isolate.answerWith(planOf(known))
    await isolate.busyFor(3_000)
    isolate.answerWith(null)
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(true)
    expect(isolate.targetMs()).toBe(300)
  })

  it('has what the coordinator needs to know about the routes, and a digest of it', ({
    expect,
  }) => {
    const setupOf = (keys: object) => {
      const { port, touch } = isolateOf([routeOf(keys)])
      touch()
      return port.last.setup!
    }
    const setup = setupOf({ learner: { name: 'fixed', limit: 50 }, granularity: 'request' })
    expect(setup).toMatchObject({
      origin: 'https://origin.example.com',
      tickMs: 1000,
      learner: { name: 'fixed', options: { limit: 50, inFlight: 0 } },
      routes: [
        {
          name: 'shop',
          granularity: 'request',
          mode: 'enforce',
          sla: { percentile: 95, targets: [{ fromRate: 0, targetMs: 1000 }], windowMs: 300_000 },
          classes: [{ name: 'default', value: 1, guaranteed: 0, tier: 'default' }],
        },
      ],
    })
    expect(setupOf({ learner: { name: 'fixed', limit: 50 }, granularity: 'request' })).toEqual(
      setup,
    )
    expect(setupOf({ learner: { name: 'fixed', limit: 51 } }).id).not.toBe(setup.id)
  })
})

describe('a plan', () => {
  it('stays in force after its time if no other has come', async ({ expect }) => {
    const { state, touch, answerWith, runtime } = isolateOf()
    answerWith(planOf({ classes: { default: { probability: 0 } }, drawLimit: 0 }))
    touch()
    await runtime.advance(600_000)
    const [route] = [routeOf()]
    expect(state.admission.draw(route, 0, runtime.now())).toEqual({
      kind: 'refuse',
      reason: 'share',
    })
  })

  it('sets the target that this isolate counts with', async ({ expect }) => {
    const { targetMs, touch, answerWith } = isolateOf()
    answerWith(planOf({ targetMs: 250 }))
    touch()
    await settle()
    expect(targetMs()).toBe(250)
  })

  it('of the version after the next is ignored', async ({ expect }) => {
    const { state, touch, answerWith } = isolateOf()
    answerWith({ ...planOf(), version: PLAN_VERSION + 2 } as unknown as Plan)
    touch()
    await settle()
    expect(state.admission.hasPlan).toBe(false)
  })
})

describe('the colo’s cached plan', () => {
  const kept: Plan[] = []
  const cacheOf = (read: PlanCache['read']): PlanCache => ({
    read,
    offer: async ({ plan }) => void kept.push(plan),
  })

  it('is followed by an isolate without a plan', async ({ expect }) => {
    const { reporter, targetMs } = isolateOf(
      undefined,
      cacheOf(async () => ({ plan: planOf({ targetMs: 700 }), fairPart: 0.1 })),
    )
    await reporter.followCached()
    expect(targetMs()).toBe(700)
  })

  it('is not followed if a newer one has come meanwhile', async ({ expect }) => {
    const { reporter, targetMs, answerWith, touch } = isolateOf(
      undefined,
      cacheOf(async () => ({ plan: planOf({ targetMs: 700 }), fairPart: 0.1 })),
    )
    answerWith(planOf({ targetMs: 800 }))
    touch()
    await settle()
    await reporter.followCached()
    expect(targetMs()).toBe(800)
    expect(kept.map(({ routes }) => routes.shop!.targetMs)).toEqual([800])
  })

  it('may be missing or broken without an error', async ({ expect }) => {
    for (const read of [async () => null, () => Promise.reject(new Error('broken'))]) {
      const { state, reporter } = isolateOf(undefined, cacheOf(read))
      await reporter.followCached()
      expect(state.admission.hasPlan).toBe(false)
    }
  })
})
