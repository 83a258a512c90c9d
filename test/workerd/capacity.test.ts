import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { CapacityRules } from '../../src/config/capacity-rules.ts'
import type { CapacityAnswer } from '../../src/coordinator/capacity/answer.ts'
import type { AuditEntry, LogPage, OperatorChange } from '../../src/coordinator/operator/records.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'
import { askDesk, statusesOf } from './desk.ts'

const NOW = 1_800_000_000_000
const HOUR = 3_600_000
const CAPACITY: CapacityRules = {
  tiers: [
    {
      ...{ name: 'app', metric: 'app', servers: 1, min: 1, max: 20, part: null, workers: 1 },
      ...{ serviceMs: 20, concurrency: null },
    },
  ],
  startupS: 10,
  predict: { percentile: 95, correctionHours: 3 },
  react: {
    everyS: 10,
    above: 1.2,
    refused: 0.05,
    below: 0.5,
    step: 'model',
    maxStep: 20,
    pauseS: 0,
  },
  webhook: null,
  group: null,
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

const crowd = (offered: number): Counts => ({
  shop: { default: { offered, admitted: offered, requests: offered, served: offered } },
})

const withCapacity = (origin: string, capacity: CapacityRules) => ({
  ...setupOf({
    learner: { name: 'fixed', options: { limit: 500 } },
    routes: { shop: { granularity: 'request' } },
  }),
  ...{ origin, capacity },
})

/** A coordinator whose sender reports each second. */
function coordinatorOf(name: string) {
  const stub = () => env.TIDEGATE_COORDINATOR.getByName(name)
  const setup = withCapacity(name, CAPACITY)
  let seq = 0
  const report = (offered: number) =>
    stub().report(
      feedbackOf(crowd(offered), {
        ...{ seq, toMs: Date.now(), lengthMs: 1000 },
        ...(seq++ === 0 ? { setup } : {}),
      }),
    )
  const run = async (seconds: number, offered: number) => {
    for (let i = 0; i < seconds; i++) {
      await report(offered)
      vi.setSystemTime(Date.now() + 1000)
    }
  }
  const answer = async () => JSON.parse(await stub().capacity()) as CapacityAnswer | null
  return { stub, report, run, answer }
}

describe('capacity in the coordinator', () => {
  it('is answered after the first traffic, and survives an eviction', async ({ expect }) => {
    const { stub, run, answer } = coordinatorOf('answers')
    expect(await answer()).toBeNull()
    await run(15, 200)
    const before = await answer()
    expect(before!.tiers.app!.desired).toBeGreaterThanOrEqual(5)
    await evictDurableObject(stub())
    expect(await answer()).toEqual(before)
  })

  it('keeps the history of the hours in SQLite: the next day has a prediction', async ({
    expect,
  }) => {
    const { stub, run, answer } = coordinatorOf('history')
    for (let minute = 0; minute < 3; minute++) await run(61, 100)
    const rows = await runInDurableObject(stub(), (_, state) =>
      state.storage.sql.exec('SELECT COUNT(*) AS n FROM capacity_hours').one(),
    )
    expect(rows).toEqual({ n: 1 })
    await evictDurableObject(stub())
    vi.setSystemTime(NOW + 24 * HOUR)
    await run(12, 20)
    expect((await answer())!.predictedRate! / 100).toBeCloseTo(1, 1)
  })

  it('takes servers back after the traffic has ended, by alarm', async ({ expect }) => {
    const { stub, run } = coordinatorOf('rest')
    await run(15, 200)
    vi.setSystemTime(Date.now() + 60_000)
    await runDurableObjectAlarm(stub())
    const answer = await runInDurableObject(stub(), (object) => object.capacity())
    expect(JSON.parse(answer)).toMatchObject({ reason: 'low', tiers: { app: { desired: 1 } } })
  })

  it('hands new servers to every isolate with the plan, as a change of capacity', async ({
    expect,
  }) => {
    const { stub, report, run, answer } = coordinatorOf('servers')
    await run(3, 20)
    const servers = ['http://10.0.0.1', 'http://10.0.0.2'].map((url) => ({ url, weight: 1 }))
    expect(await stub().setServers(servers)).toBe(true)
    expect((await report(20)).plan).toMatchObject({ servers })
    vi.setSystemTime(Date.now() + 1000)
    await run(15, 20)
    expect((await answer())!.tiers.app!.current).toBe(2)
    await evictDurableObject(stub())
    expect((await report(20)).plan).toMatchObject({ servers })
    await stub().setServers(null)
    expect((await report(20)).plan).not.toHaveProperty('servers')
  })

  it('writes into the audit log how many servers an autoscaler says a tier has', async ({
    expect,
  }) => {
    const { stub, run } = coordinatorOf('tier')
    await run(3, 20)
    const operator = { by: 'autoscaler', via: 'token' } as const
    const done = { operator, route: 'shop', kind: 'tier', text: 'It has 3.', from: null, to: 3 }
    expect(await stub().setTierServers('app', 3, done as OperatorChange)).toBe(true)
    expect(await stub().setTierServers('none', 3, done as OperatorChange)).toBe(false)
    const log = { op: 'audit', limit: 5, beforeMs: null, route: null } as const
    const { entries } = await askDesk<LogPage<AuditEntry>>(stub(), log)
    expect(entries).toMatchObject([{ kind: 'tier', by: 'autoscaler', to: 3 }])
  })

  it('arbitrates between the origins of a group', async ({ expect }) => {
    const group = { name: 'all', servers: 6, origins: ['rich', 'poor'] }
    const [rich, poor] = ['rich', 'poor'].map((name) => {
      const setup = withCapacity(name, { ...CAPACITY, group })
      const value = name === 'rich' ? 10 : 1
      const routes = setup.routes.map((route) => ({
        ...route,
        classes: route.classes.map((one) => ({ ...one, value })),
      }))
      return { name, setup: { ...setup, routes } }
    })
    for (let s = 0; s < 40; s++) {
      for (const { name, setup } of [rich!, poor!])
        await env.TIDEGATE_COORDINATOR.getByName(name).report(
          feedbackOf(crowd(200), {
            ...{ seq: s, toMs: Date.now(), lengthMs: 1000 },
            ...(s === 0 ? { setup } : {}),
          }),
        )
      vi.setSystemTime(Date.now() + 1000)
    }
    const desired = async (name: string) =>
      (JSON.parse(await env.TIDEGATE_COORDINATOR.getByName(name).capacity()) as CapacityAnswer)
        .tiers.app!.desired
    const [most, least] = [await desired('rich'), await desired('poor')]
    expect(most).toBeGreaterThan(least)
    expect(most + least).toBeLessThanOrEqual(6)
  })

  it('posts each decision once to the webhook, signed', async ({ expect }) => {
    // Plain values: objects of one Durable Object cannot be read outside of it.
    const posted: { url: string; headers: Record<string, string>; body: string }[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      const { headers, body } = init as { headers: Record<string, string>; body: string }
      posted.push({ url: String(url), headers: { ...headers }, body })
      return new Response(null, { status: 204 })
    })
    const url = 'https://scaler.example.com/capacity'
    const stub = env.TIDEGATE_COORDINATOR.getByName('hook')
    for (let s = 0; s < 15; s++) {
      await stub.report(
        feedbackOf(crowd(200), {
          ...{ seq: s, toMs: Date.now(), lengthMs: 1000 },
          ...(s === 0 ? { setup: withCapacity('hook', { ...CAPACITY, webhook: url }) } : {}),
        }),
      )
      vi.setSystemTime(Date.now() + 1000)
    }
    const { sequence } = JSON.parse(await stub.capacity()) as CapacityAnswer
    vi.restoreAllMocks()
    const ids = posted.map(({ headers }) => headers['webhook-id'])
    expect(posted[0]!.url).toBe(url)
    expect(new Set(ids).size).toBe(sequence)
    expect(ids).toHaveLength(sequence)
    const { body, headers } = posted[0]!
    expect(() => new Webhook(env.TIDEGATE_WEBHOOK_SECRET).verify(body, headers)).not.toThrow()
  })

  it('posts a decision again that was not taken, with the same id and a new signature', async ({
    expect,
  }) => {
    const posted: { id: string; at: string; body: string }[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
      const { headers, body } = init as { headers: Record<string, string>; body: string }
      const { 'webhook-id': id = '', 'webhook-timestamp': at = '' } = headers
      posted.push({ id, at, body })
      return new Response(null, { status: posted.length === 1 ? 503 : 204 })
    })
    const webhook = 'https://scaler.example.com/capacity'
    const stub = env.TIDEGATE_COORDINATOR.getByName('hook again')
    for (let s = 0; s < 60; s++) {
      await stub.report(
        feedbackOf(crowd(200), {
          ...{ seq: s, toMs: Date.now(), lengthMs: 1000 },
          ...(s === 0 ? { setup: withCapacity('hook again', { ...CAPACITY, webhook }) } : {}),
        }),
      )
      vi.setSystemTime(Date.now() + 1000)
    }
    vi.restoreAllMocks()
    const again = posted.filter(({ id }) => id === posted[0]!.id)
    expect(again).toHaveLength(2)
    expect(again[1]!.body).toBe(again[0]!.body)
    expect(Number(again[1]!.at)).toBeGreaterThan(Number(again[0]!.at))
  })

  it('holds exactly what a tier carries that cannot grow, and says which one', async ({
    expect,
  }) => {
    const stub = env.TIDEGATE_COORDINATOR.getByName('held')
    const db = { ...CAPACITY.tiers[0]!, name: 'db', metric: 'db', max: 1, serviceMs: null }
    const setup = withCapacity('held', { ...CAPACITY, tiers: [...CAPACITY.tiers, db] })
    // Each answer says how long the one database server worked on it: 2 or 18 ms.
    const tiers = (answers: number) => ({
      db: {
        ...{ answers, visits: answers, us: answers * 10_000, loads: 0, loadUs: 0 },
        times: histogramOf(Array.from({ length: answers }, (_, i) => (i % 2 === 0 ? 2 : 18))),
      },
    })
    let limit: number | null = null
    for (let s = 0; s < 40; s++) {
      const { plan } = await stub.report({
        ...feedbackOf(crowd(200), {
          ...{ seq: s, toMs: Date.now(), lengthMs: 1000 },
          ...(s === 0 ? { setup } : {}),
        }),
        tiers: tiers(200),
      })
      limit = plan?.routes.shop?.limit ?? limit
      vi.setSystemTime(Date.now() + 1000)
    }
    const answer = JSON.parse(await stub.capacity()) as CapacityAnswer
    expect(answer).toMatchObject({
      limitedBy: 'db',
      tiers: { db: { desired: 1, source: 'model' } },
    })
    // At 10 ms each one server takes fewer than 100 per second.
    expect(answer.heldRate).toBeGreaterThan(80)
    expect(answer.heldRate).toBeLessThan(100)
    expect(limit).toBeCloseTo(answer.heldRate!, 6)
    const [status] = await statusesOf(stub)
    expect(status!.learner.reason).toBe('tier')
  })
})
