import { describe, it } from 'vitest'
import type { Route } from '../../src/config/config.ts'
import { Link } from '../../src/gate/link.ts'
import type { PlanCache } from '../../src/gate/plan-cache.ts'
import { NO_CLASS_FEEDBACK } from '../../src/protocol/merge.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { background, FakePort, FakeRuntime, settle } from '../support/fakes.ts'
import { type Planned, planOf, routeOf, routesOf } from '../support/requests.ts'

function linkOf(routes: readonly Route[] = [routeOf()], cache: PlanCache | null = null) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const link = new Link(routes, { sender: 'isolate 1', port, cache, runtime })
  const touch = (): void => link.touch(background, runtime.now())
  /** A request every 100 ms. */
  const busyFor = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      touch()
      await runtime.advance(100)
    }
  }
  const answerWith = (plan: Plan | null, share = 1): void => {
    port.answer = async () => ({ plan, share })
  }
  return { runtime, port, link, touch, busyFor, answerWith }
}

describe('the first report of an isolate', () => {
  it('goes at once, on the first request’s arrival, and is empty', ({ expect }) => {
    const { link, port, touch, runtime } = linkOf()
    expect(link.isNew).toBe(true)
    touch()
    link.tallies.get('shop')!.classes[0]!.offered++
    expect(link.isNew).toBe(false)
    expect(port.reports).toHaveLength(1)
    expect(port.last).toMatchObject({
      version: 1,
      origin: 'https://origin.example.com',
      sender: 'isolate 1',
      seq: 0,
      fromMs: runtime.now(),
      toMs: runtime.now(),
      routes: { shop: { classes: { default: NO_CLASS_FEEDBACK }, ages: [] } },
    })
  })

  it('brings the plan that comes back into force', async ({ expect }) => {
    const { link, touch, answerWith } = linkOf()
    answerWith(planOf())
    touch()
    await settle()
    expect(link.admission.hasPlan).toBe(true)
    expect(link.plan).toEqual(planOf())
  })
})

describe('reports', () => {
  it('go at most once a second, however many requests come', async ({ expect }) => {
    const { port, busyFor } = linkOf()
    await busyFor(20_000)
    const gaps = port.reports.slice(1).map(({ toMs }, i) => toMs - port.reports[i]!.toMs)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000)
    expect(port.reports.length).toBeGreaterThanOrEqual(18)
  })

  it('go behind a request only: an idle isolate is silent', async ({ expect }) => {
    const { port, touch, runtime } = linkOf()
    touch()
    await runtime.advance(60_000)
    expect(port.reports).toHaveLength(1)
    touch()
    await runtime.advance(60_000)
    expect(port.reports).toHaveLength(2)
  })

  it('follow one another without a gap, numbered, and count everything once', async ({
    expect,
  }) => {
    const { link, port, busyFor } = linkOf()
    const [tally] = link.tallies.get('shop')!.classes
    for (let i = 0; i < 10; i++) {
      tally!.offered += 7
      await busyFor(700)
    }
    await busyFor(2_000)
    const { reports } = port
    expect(reports.map(({ seq }) => seq)).toEqual(reports.map((_, i) => i))
    for (const [i, { fromMs }] of reports.slice(1).entries()) expect(fromMs).toBe(reports[i]!.toMs)
    const offered = reports.map(({ routes }) => routes.shop!.classes.default!.offered)
    expect(offered.reduce((sum, count) => sum + count, 0)).toBe(70)
  })

  it('are of all routes to the origin together', ({ expect }) => {
    const { port, touch } = linkOf(routesOf({ match: '/shop/*' }, { name: 'api', match: '/api/*' }))
    touch()
    expect(Object.keys(port.last.routes)).toEqual(['shop', 'api'])
  })

  it('are scheduled anew where the one under way died with its request', async ({ expect }) => {
    const { port, touch, runtime } = linkOf()
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

describe('the setup', () => {
  const isTold = ({ port }: { port: FakePort }): boolean => port.last.setup !== undefined

  it('goes with every report until the plan shows that it is known', async ({ expect }) => {
    const isolate = linkOf()
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

  it('does not go where a later one is in force', async ({ expect }) => {
    const isolate = linkOf()
    isolate.answerWith(planOf({ setup: { id: 'a later one', sinceMs: isolate.runtime.now() + 1 } }))
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(false)
  })

  it('goes again to a coordinator that has lost everything', async ({ expect }) => {
    const isolate = linkOf()
    const known: Planned = { setup: { id: 'a later one', sinceMs: isolate.runtime.now() + 1 } }
    isolate.answerWith(planOf(known))
    await isolate.busyFor(3_000)
    isolate.answerWith(null)
    await isolate.busyFor(3_000)
    expect(isTold(isolate)).toBe(true)
    expect(isolate.link.plan).toEqual(planOf(known))
  })

  it('tells what the coordinator needs of the routes, under a digest of it', ({ expect }) => {
    const setupOf = (keys: object) => {
      const { port, touch } = linkOf([routeOf(keys)])
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
  it('stays in force when it is past its time and no other has come', async ({ expect }) => {
    const { link, touch, answerWith, runtime } = linkOf()
    answerWith(planOf({ classes: { default: { probability: 0 } }, drawLimit: 0 }))
    touch()
    await runtime.advance(600_000)
    const [route] = [routeOf()]
    expect(link.admission.draw(route, 0, runtime.now())).toEqual({
      kind: 'refuse',
      reason: 'share',
    })
  })

  it('moves the target by which this isolate counts', async ({ expect }) => {
    const { link, touch, answerWith } = linkOf()
    answerWith(planOf({ targetMs: 250 }))
    touch()
    await settle()
    expect(link.tallies.get('shop')!.classes[0]!.targetMs).toBe(250)
  })

  it('of another version is left aside', async ({ expect }) => {
    const { link, touch, answerWith } = linkOf()
    answerWith({ ...planOf(), version: 2 } as unknown as Plan)
    touch()
    await settle()
    expect(link.plan).toBeNull()
  })
})

describe('the colo’s cached plan', () => {
  const kept: Plan[] = []
  const cacheOf = (read: PlanCache['read']): PlanCache => ({
    read,
    offer: async (plan) => void kept.push(plan),
  })

  it('is followed by an isolate that has none of its own', async ({ expect }) => {
    const { link } = linkOf(
      undefined,
      cacheOf(async () => planOf({ seq: 7 })),
    )
    await link.followCached()
    expect(link.plan?.seq).toBe(7)
  })

  it('is not followed where a newer one has come meanwhile', async ({ expect }) => {
    const { link, answerWith, touch } = linkOf(
      undefined,
      cacheOf(async () => planOf({ seq: 7 })),
    )
    answerWith(planOf({ seq: 8 }))
    touch()
    await settle()
    await link.followCached()
    expect(link.plan?.seq).toBe(8)
    expect(kept.map(({ seq }) => seq)).toEqual([8])
  })

  it('may be missing or broken without harm', async ({ expect }) => {
    for (const read of [async () => null, () => Promise.reject(new Error('broken'))]) {
      const { link } = linkOf(undefined, cacheOf(read))
      await link.followCached()
      expect(link.plan).toBeNull()
    }
  })
})
