import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { durableObjectPort, relayName } from '../../src/transport/durable-object.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { act, askDesk } from './desk.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A new origin with data centres in Berlin and Sydney, where it is calm. */
async function calmSite(origin: string) {
  const coordinator = () => env.TIDEGATE_COORDINATOR.getByName(origin)
  let seq = 0
  const send = (colo: string, keys: object = {}) => {
    const counts: Counts = {
      shop: { default: { offered: 1, admitted: 1, requests: 1, served: 1 } },
    }
    const given = { sender: `isolate in ${colo}`, seq: seq++, toMs: Date.now(), setup: setupOf() }
    const report = { ...feedbackOf(counts, given), origin, ...keys }
    return durableObjectPort(env, origin, colo).report(report)
  }
  /** Both report, second by second, until the plan says calm. */
  const untilCalm = async (): Promise<Plan> => {
    for (let i = 0; i < 40; i++) {
      vi.setSystemTime(Date.now() + 1000)
      await send('BER')
      const { plan } = await send('SYD')
      if (plan?.calmMs !== undefined) return plan
    }
    throw new Error('There is no calm')
  }
  /** What the relay in Sydney answers to the question for the newest plan. */
  const newest = async (): Promise<Plan> =>
    (await send('SYD', { confirms: true, routes: {}, seq: 0 })).plan!
  await untilCalm()
  return { origin, coordinator, send, untilCalm, newest }
}

type Site = Awaited<ReturnType<typeof calmSite>>

const POOL = [{ url: 'https://a.example.com', weight: 1 }]
const EVENT = { name: 'sale', preQueueMs: 0, opensMs: null, closesMs: NOW, reopensMs: null }

const COMMANDS: Readonly<
  Record<string, { run(site: Site): Promise<unknown>; isThere(plan: Plan): boolean }>
> = {
  'a mode': {
    run: ({ coordinator }) => act(coordinator(), { action: 'mode', mode: 'off' }),
    isThere: ({ routes }) => routes.shop!.mode === 'off',
  },
  'a fixed limit': {
    run: ({ coordinator }) => act(coordinator(), { action: 'limit', limit: 7 }),
    isThere: ({ drawLimit }) => drawLimit === 7,
  },
  'a change of capacity': {
    run: ({ coordinator }) => act(coordinator(), { action: 'capacity', before: 2, after: 1 }),
    // The next tick obeys it. Everybody reports at once.
    isThere: ({ calmMs }) => calmMs === undefined,
  },
  forget: {
    run: ({ coordinator }) => act(coordinator(), { action: 'forget' }),
    isThere: ({ calmMs }) => calmMs === undefined,
  },
  'an event': {
    run: ({ coordinator }) =>
      askDesk(coordinator(), {
        ...{ op: 'set-room-event', route: 'shop', name: 'sale', event: EVENT },
        ...{ operator: { by: 'Ada', via: 'token' }, setup: setupOf() },
      }),
    isThere: ({ routes }) => routes.shop!.events?.length === 1,
  },
  'the stock, by an operator': {
    run: ({ coordinator }) => coordinator().setStock('shop', 0),
    isThere: ({ routes }) => routes.shop!.soldOut === true,
  },
  'the stock, by the origin': {
    run: ({ send }) => send('BER', { commands: { stock: { shop: { left: 0, atMs: NOW } } } }),
    isThere: ({ routes }) => routes.shop!.soldOut === true,
  },
  'the end of a session': {
    run: ({ send }) => send('BER', { commands: { revoked: { aaaaaaaa: NOW + 3_600_000 } } }),
    isThere: ({ revoked }) => revoked?.aaaaaaaa !== undefined,
  },
  'other servers': {
    run: ({ coordinator }) => coordinator().setServers(POOL),
    isThere: ({ servers }) => servers?.[0]?.url === POOL[0]!.url,
  },
}

describe.for(Object.entries(COMMANDS))('in calm, %s', ([name, { run, isThere }]) => {
  it.for([false, true])(
    'is at every relay at once (coordinator evicted: %s)',
    async (isEvicted, { expect }) => {
      const site = await calmSite(`${name}, ${isEvicted}`)
      expect(isThere(await site.newest())).toBe(false)
      vi.setSystemTime(Date.now() + 1000)
      if (isEvicted) await evictDurableObject(site.coordinator())
      await run(site)
      await vi.waitFor(async () => expect(isThere(await site.newest())).toBe(true))
    },
  )
})

describe('in calm, an action with an end', () => {
  it('ends on time, by an alarm', async ({ expect }) => {
    const { coordinator, untilCalm, newest } = await calmSite('an end')
    await act(coordinator(), { action: 'mode', mode: 'off' }, 45_000)
    const endMs = Date.now() + 45_000
    expect((await untilCalm()).routes.shop!.mode).toBe('off')
    for (let i = 0; i < 30 && Date.now() < endMs; i++) {
      const alarmMs = await runInDurableObject(coordinator(), (_: unknown, { storage }) =>
        storage.getAlarm(),
      )
      expect(alarmMs).toBeLessThanOrEqual(endMs)
      vi.setSystemTime(Math.max(Date.now(), alarmMs!))
      await runDurableObjectAlarm(coordinator())
    }
    expect(Date.now()).toBe(endMs)
    await vi.waitFor(async () => expect((await newest()).routes.shop!.mode).toBeUndefined())
  })
})

describe('in calm, a question to a relay', () => {
  it('is one call: none goes to the coordinator, and nothing is scheduled', async ({ expect }) => {
    const { coordinator, newest } = await calmSite('one call')
    const alarm = () =>
      runInDurableObject(coordinator(), (_: unknown, { storage }) => storage.getAlarm())
    const before = await alarm()
    const calls = vi.spyOn(CoordinatorCore.prototype, 'handle')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    for (let i = 0; i < 10; i++) {
      vi.setSystemTime(Date.now() + 1500)
      expect((await newest()).calmMs).toBeGreaterThan(0)
    }
    expect(calls).not.toHaveBeenCalled()
    expect(timers).not.toHaveBeenCalled()
    expect(await alarm()).toBe(before)
  })

  it('goes to the coordinator from a relay that was evicted', async ({ expect }) => {
    const { origin, coordinator, newest } = await calmSite('evicted relay')
    await act(coordinator(), { action: 'mode', mode: 'off' })
    await evictDurableObject(env.TIDEGATE_RELAY.getByName(relayName(origin, 'SYD')))
    expect((await newest()).routes.shop!.mode).toBe('off')
  })
})

describe('the relay of a region', () => {
  it('gives a plan to its relays, also after an eviction', async ({ expect }) => {
    const { origin, newest } = await calmSite('region')
    const region = env.TIDEGATE_RELAY.getByName(relayName(origin, 'region OC'))
    const given = { sender: relayName(origin, 'SYD'), seq: 1, toMs: Date.now() }
    await region.report({ ...feedbackOf({}, given), origin, isolates: 1 })
    const before = await newest()
    await evictDurableObject(region)
    await region.take({ ...before, seq: before.seq + 1, drawLimit: 3 })
    await vi.waitFor(async () => expect((await newest()).drawLimit).toBe(3))
  })
})
