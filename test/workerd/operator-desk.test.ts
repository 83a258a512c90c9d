import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { Coordinator } from '../../durable-objects/coordinator.ts'
import type { RouteHistory } from '../../src/coordinator/operator/history.ts'
import type { AuditEntry, LogPage, OriginEvent } from '../../src/coordinator/operator/records.ts'
import type { OriginSnapshot } from '../../src/coordinator/operator/snapshot.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { act, askDesk, statusesOf } from './desk.ts'

/** A whole minute. */
const NOW = 1_800_000_000_000
const SETUP = setupOf()

let logged: string[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  logged = []
  vi.spyOn(console, 'log').mockImplementation((line) => void logged.push(String(line)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const counts = (offered: number, refused = 0): Counts => ({
  shop: {
    default: {
      ...{ offered, admitted: offered - refused, requests: offered - refused },
      ...{ served: offered - refused, admits: { share: offered - refused } },
      ...(refused > 0 ? { refusals: { share: refused } } : {}),
    },
  },
})

function coordinatorOf(name: string) {
  const stub = () => env.TIDEGATE_COORDINATOR.getByName(name)
  let seq = 0
  /** Seconds of traffic. */
  const pass = async (seconds: number, given: Counts = counts(10)) => {
    for (let i = 0; i < seconds; i++) {
      vi.setSystemTime(Date.now() + 1000)
      const told = seq === 0 ? { setup: SETUP } : {}
      await stub().report(feedbackOf(given, { seq: seq++, toMs: Date.now(), ...told }))
    }
  }
  const log = <Entry>(op: 'events' | 'audit') =>
    askDesk<LogPage<Entry>>(stub(), { op, limit: 50, beforeMs: null, route: null })
  const history = (range: 'minute' | 'hour') =>
    askDesk<RouteHistory>(stub(), { op: 'history', route: 'shop', range })
  const metrics = () => askDesk<OriginSnapshot>(stub(), { op: 'metrics' })
  const planOf = async () => {
    const given = feedbackOf({}, { seq: seq++, toMs: Date.now(), lengthMs: 0 })
    return (await stub().report(given)).plan!.routes.shop!
  }
  return { stub, pass, log, history, metrics, planOf }
}

describe('what operators see and did', () => {
  it('is there after an eviction: history, totals, overrides, events and audit log', async ({
    expect,
  }) => {
    const { stub, pass, log, history, metrics, planOf } = coordinatorOf('kept')
    await pass(130, counts(100, 50))
    const set = await act(stub(), { action: 'mode', mode: 'observe' })
    const before = { metrics: await metrics(), history: await history('hour') }
    // Two minutes, and the one that has begun.
    expect(before.history.points).toHaveLength(3)
    expect(before.metrics.totals.shop!.classes.default).toMatchObject({
      ...{ offered: 13_000, refusals: { share: 6500 } },
    })
    await evictDurableObject(stub())
    expect(await history('hour')).toEqual(before.history)
    expect((await metrics()).totals).toEqual(before.metrics.totals)
    expect((await metrics()).reports).toMatchObject({ taken: 130 })
    expect((await planOf()).mode).toBe('observe')
    const { entries } = await log<AuditEntry & { isUndoable: boolean }>('audit')
    expect(entries).toMatchObject([
      { id: set.id, by: 'Ada', kind: 'mode', from: 'enforce', to: 'observe', isUndoable: true },
    ])
    const events = (await log<OriginEvent>('events')).entries
    expect(events.map(({ kind }) => kind)).toEqual(['action', 'surge-began'])
  })

  it('goes to Analytics Engine, a point a minute for each class, and a fault of it does no harm', async ({
    expect,
  }) => {
    const { stub, pass, metrics } = coordinatorOf('analytics')
    await pass(1)
    const written: AnalyticsEngineDataPoint[] = []
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await runInDurableObject(stub(), (instance: Coordinator) => {
      const { TIDEGATE_ANALYTICS: dataset } = Reflect.get(instance, 'env') as {
        TIDEGATE_ANALYTICS: AnalyticsEngineDataset
      }
      const write = dataset.writeDataPoint.bind(dataset)
      vi.spyOn(dataset, 'writeDataPoint').mockImplementation((point) => {
        write(point)
        written.push(point!)
        if (written.length > 1) throw new TypeError('The index is too long')
      })
    })
    await pass(180, counts(100, 50))
    expect(written).toHaveLength(3)
    expect(written[1]).toMatchObject({
      indexes: ['shop'],
      blobs: [expect.any(String), 'shop', 'default'],
      doubles: expect.arrayContaining([6000, 3000]),
    })
    expect((await metrics()).reports).toMatchObject({ taken: 181 })
    expect(warned).toHaveBeenCalledTimes(2)
  })

  it('is written in few rows: at most four a minute, beside the state', async ({ expect }) => {
    const { stub, pass } = coordinatorOf('few rows')
    await pass(1)
    const rowsWritten = () =>
      runInDurableObject(
        stub(),
        (_, { storage }) => storage.sql.exec('SELECT total_changes() AS n').one().n as number,
      )
    const first = await rowsWritten()
    await pass(600)
    const perMinute = ((await rowsWritten()) - first) / 10
    // The state of the coordinator is one row a tick, and its alarm another.
    expect(perMinute).toBeGreaterThan(60)
    expect(perMinute).toBeLessThan(4 + 2 * 60)
  })

  it('ends by itself at its time, also while nothing happens, and is in the audit log', async ({
    expect,
  }) => {
    const { stub, pass, log, planOf } = coordinatorOf('timed')
    await pass(2)
    await act(stub(), { action: 'limit', limit: 3 }, 60_000)
    expect((await planOf()).limit).toBe(3)
    vi.setSystemTime(Date.now() + 60_000)
    expect((await planOf()).limit).toBe(50)
    expect((await log<AuditEntry>('audit')).entries).toMatchObject([
      { kind: 'end', via: 'timer', by: 'Ada', from: 3, to: null },
      { kind: 'limit', from: null, to: 3, untilMs: NOW + 62_000 },
    ])
  })

  it('can be undone: a setting, a change of capacity, and forgetting', async ({ expect }) => {
    const { stub, pass, planOf, log } = coordinatorOf('undone')
    await pass(2)
    const undo = (id: string) =>
      askDesk(stub(), {
        ...{ op: 'undo', route: 'shop', id, operator: { by: 'Bob', via: 'cookie' } },
      })
    const first = await act(stub(), { action: 'limit', limit: 30 })
    const second = await act(stub(), { action: 'limit', limit: 20 })
    await undo(second.id)
    expect((await planOf()).limit).toBe(30)
    await undo(first.id)
    expect((await planOf()).limit).toBe(50)
    await undo((await act(stub(), { action: 'capacity', before: 1, after: 2 })).id)
    const forgotten = await act(stub(), { action: 'forget' })
    await undo(forgotten.id)
    await expect(undo(forgotten.id)).rejects.toThrow('nothing to undo')
    const { entries } = await log<AuditEntry>('audit')
    expect(entries.filter(({ kind }) => kind === 'undo')).toHaveLength(4)
    expect(entries[0]).toMatchObject({ by: 'Bob', undoes: forgotten.id })
  })
})

describe('events', () => {
  it('tell when a surge begins and ends, once each', async ({ expect }) => {
    const { pass, log } = coordinatorOf('surge')
    await pass(5)
    await pass(8, counts(500, 450))
    await pass(15)
    const { entries } = await log<OriginEvent>('events')
    expect(entries).toMatchObject([
      { kind: 'surge-ended', text: 'The surge is over after 7 s. 3600 did not get in at once.' },
      { kind: 'surge-began', text: 'A surge began: 500 ask per second, 10 times the limit.' },
    ])
  })

  it('are a line of JSON each in the log', async ({ expect }) => {
    const { stub, pass } = coordinatorOf('logged')
    await pass(2)
    await act(stub(), { action: 'target', targetMs: 500 })
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { tidegate: 'event', kind: 'action', text: 'Ada set the target from 1 s to 500 ms.' },
    ])
  })
})

describe('a viewer', () => {
  it('gets the status at once, with each tick and after each action, and events', async ({
    expect,
  }) => {
    const { stub, pass } = coordinatorOf('live')
    await pass(1)
    const { webSocket } = await stub().fetch('https://x.invalid/?route=shop', {
      headers: { Upgrade: 'websocket' },
    })
    const messages: { type: string; status?: { mode: string; now: { offered: number } } }[] = []
    webSocket!.addEventListener('message', ({ data }) => {
      messages.push(JSON.parse(String(data)))
    })
    webSocket!.accept()
    await vi.waitFor(() => expect(messages).toHaveLength(1))
    await pass(1, counts(77))
    await vi.waitFor(() => expect(messages.at(-1)?.status?.now.offered).toBe(77))
    await act(stub(), { action: 'mode', mode: 'off' })
    await vi.waitFor(() => expect(messages.at(-1)?.status?.mode).toBe('off'))
    expect(messages.map(({ type }) => type)).toEqual(['status', 'status', 'event', 'status'])
    webSocket!.close()
  })

  it('of another route gets nothing of this one', async ({ expect }) => {
    const { stub, pass } = coordinatorOf('live elsewhere')
    await pass(1)
    const { webSocket } = await stub().fetch('https://x.invalid/?route=other', {
      headers: { Upgrade: 'websocket' },
    })
    const messages: unknown[] = []
    webSocket!.addEventListener('message', ({ data }) => {
      messages.push(data)
    })
    webSocket!.accept()
    await pass(2)
    await statusesOf(stub())
    expect(messages).toEqual([])
    webSocket!.close()
  })
})
