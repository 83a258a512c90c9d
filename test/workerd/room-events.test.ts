import { env, evictDurableObject, SELF } from 'cloudflare:test'
import { describe, it } from 'vitest'
import type { QueueEvent } from '../../src/config/config.ts'
import type { AuditEntry } from '../../src/coordinator/operator/records.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const API = 'https://gate.example.com/_tidegate/api/v1'
const headers = {
  Authorization: `Bearer ${env.TIDEGATE_ADMIN_TOKEN}`,
  'Tidegate-Operator': 'Ada',
}

const ask = (method: string, path: string, body?: object): Promise<Response> =>
  SELF.fetch(`${API}${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const EVENTS = '/routes/shop/waiting-room/events'
const set = (name: string, body: object) => ask('PUT', `${EVENTS}/${name}`, body)

async function listed(): Promise<readonly (QueueEvent & { source: string })[]> {
  const { events } = (await (await ask('GET', EVENTS)).json()) as {
    events: (QueueEvent & { source: string })[]
  }
  return events
}

async function audit(): Promise<readonly AuditEntry[]> {
  const { entries } = (await (await ask('GET', '/audit?limit=50')).json()) as {
    entries: AuditEntry[]
  }
  return entries
}

const coordinator = () => env.TIDEGATE_COORDINATOR.getByName('origin')

let seq = 1
/** What the next report of an isolate is answered with. */
async function planned(setup = setupOf()) {
  const sent = feedbackOf({}, { seq: seq++, toMs: Date.now(), setup })
  return (await coordinator().report(sent)).plan!.routes.shop!.events
}

describe('events of a waiting room by the API', () => {
  it('are made, changed and deleted, in the plan at once, and in the audit log', async ({
    expect,
  }) => {
    await planned()
    // Summer time: 10:00 in Berlin is 08:00 UTC. In winter it is 09:00 UTC.
    const summer = { opens: '2036-07-01T10:00', zone: 'Europe/Berlin' }
    expect((await set('sale', summer)).status).toBe(200)
    expect(await planned()).toMatchObject([
      { name: 'sale', opensMs: Date.UTC(2036, 6, 1, 8), preQueueMs: 900_000 },
    ])
    await set('sale', { ...summer, opens: '2036-12-01T10:00', preQueueMs: 60_000 })
    expect(await listed()).toMatchObject([
      { source: 'operator', opensMs: Date.UTC(2036, 11, 1, 9), preQueueMs: 60_000 },
    ])
    expect((await ask('DELETE', `${EVENTS}/sale`)).status).toBe(200)
    expect(await planned()).toBeUndefined()
    expect((await audit()).slice(0, 3).map(({ kind, by, text }) => [kind, by, text])).toEqual([
      ['room-event', 'Ada', 'Ada deleted the event "sale".'],
      ['room-event', 'Ada', 'Ada changed the event "sale": opens 2036-12-01T09:00:00.000Z.'],
      ['room-event', 'Ada', 'Ada made the event "sale": opens 2036-07-01T08:00:00.000Z.'],
    ])
  })

  it('survive an eviction and a deployment', async ({ expect }) => {
    await planned()
    await set('night', { closes: '2036-07-01T22:00Z', reopens: '2036-07-02T06:00Z' })
    await evictDurableObject(coordinator())
    const deployed = { ...setupOf(), id: 'another', sinceMs: Date.now() }
    expect(await planned(deployed)).toMatchObject([{ name: 'night' }])
    expect(await listed()).toMatchObject([{ name: 'night', source: 'operator' }])
  })

  it('are refused with a reason if they are wrong', async ({ expect }) => {
    const wrong: readonly [string, object, number, RegExp][] = [
      ['a b', { opens: '2036-07-01T10:00Z' }, 400, /name: expected 1 to 64 letters.*"a b"/],
      ['x', { opens: 'noon' }, 400, /opens: expected .*found "noon"/],
      ['x', { opens: '2036-07-01T10:00' }, 400, /expected a time in "opens" that exists/],
      ['x', { opens: '2036-07-01T10:00', zone: 'Berlin' }, 400, /zone: expected .*found "Berlin"/],
      // Clocks go forward over this time.
      ['x', { opens: '2036-03-30T02:30', zone: 'Europe/Berlin' }, 400, /"opens" that exists/],
      ['x', {}, 400, /"opens" or "closes"/],
      ['x', { opens: '2036-07-02T10:00Z', closes: '2036-07-01T10:00Z' }, 400, /"closes" after/],
    ]
    for (const [name, body, status, text] of wrong) {
      const answer = await set(encodeURIComponent(name), body)
      expect(answer.status).toBe(status)
      expect(((await answer.json()) as { detail: string }).detail).toMatch(text)
    }
    expect((await ask('DELETE', `${EVENTS}/nothing`)).status).toBe(404)
  })
})

describe('what else changes by the API', () => {
  it('is in the audit log: stock, servers, drains, imported hours', async ({ expect }) => {
    await planned()
    const servers = ['https://a.example.com', 'https://b.example.com'].map((url) => ({ url }))
    await ask('POST', '/routes/shop/stock', { left: 0 })
    await ask('POST', '/routes/shop/servers', { servers })
    await ask('POST', '/routes/shop/servers/drain', { url: 'https://a.example.com' })
    await ask('POST', '/routes/shop/servers', { servers: null })
    await ask('POST', '/routes/shop/capacity/history', { hours: [] })
    const texts = (await audit()).slice(0, 5).map(({ kind, text }) => [kind, text])
    expect(texts.reverse()).toEqual([
      ['stock', 'Ada said that it is sold out.'],
      ['servers', 'Ada set the servers to https://a.example.com, https://b.example.com.'],
      ['drain', 'Ada took https://a.example.com out of the pool.'],
      ['servers', 'Ada set the configured servers again.'],
      ['hours', 'Ada imported the arrival rates of 0 hours.'],
    ])
  })
})
