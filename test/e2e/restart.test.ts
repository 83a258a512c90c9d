import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { cookiesOf, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { Load } from '../support/e2e/load.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const secrets = {
  TIDEGATE_SECRET: 'the same secret before and after the restart',
  TIDEGATE_ADMIN_TOKEN: 'the same token before and after',
}

let origin: ScriptedOrigin
/** Nearly nobody is let in here, so there is a waiting room. */
let sale: ScriptedOrigin
let persist: string
let gate: LocalGate

const SLOW = { name: 'fixed', limit: 0.5 }

const start = (): Promise<LocalGate> => {
  const routes = [
    {
      name: 'sale',
      match: '/sale',
      origin: sale.url,
      verdictHeader: true,
      learner: SLOW,
    },
    { name: 'site', match: '/*', origin: origin.url, bypass: BYPASS, verdictHeader: true },
  ]
  return startLocalGate({ config: { routes }, port: 0, persist, secrets })
}

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  sale = await ScriptedOrigin.start()
  persist = await mkdtemp(join(tmpdir(), 'tidegate-restart-'))
  gate = await start()
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
  await sale.close()
  await rm(persist, { recursive: true })
})

/** Asks for the sale with a ticket. */
const waits = async (ticket?: string) => {
  const headers = {
    Accept: 'application/json',
    ...(ticket === undefined ? {} : { 'Tidegate-Ticket': ticket }),
  }
  const { text, status } = await send(`${gate.url}/sale`, { headers })
  return { status, ticket: status === 503 ? String(JSON.parse(text).ticket) : '' }
}

const ask = async (path: string, body?: object) => {
  const headers = { Authorization: `Bearer ${gate.adminToken}`, 'Content-Type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return JSON.parse((await send(`${gate.url}/_tidegate/api/v1/${path}`, { headers, ...init })).text)
}

describe('A runtime that is killed with -9 and started again', () => {
  it('keeps the queue, the audit log and the history', async ({ expect }) => {
    await expect.poll(async () => (await waits()).status, WHEN_REPORTED).toBe(503)
    let visitors = await Promise.all(Array.from({ length: 30 }, () => waits()))
    /** Those who are told to wait on, with their tickets. */
    const refresh = async (): Promise<number> => {
      const all = await Promise.all(visitors.map(({ ticket }) => waits(ticket)))
      visitors = all.filter(({ status }) => status === 503)
      return visitors.length
    }
    const waiting = async () => {
      await refresh()
      return (await statusOf(gate, 'sale')).queues?.default?.waiting ?? 0
    }
    await expect.poll(waiting, WHEN_REPORTED).toBeGreaterThan(20)
    const stored = await waiting()
    const action = { action: 'mode', mode: 'enforce', note: 'before' }
    const { id } = await ask('routes/sale/actions', action)
    const before = await ask('routes/sale/history?range=hour')

    await gate.close()
    gate = await start()
    // The coordinator knows the queue before anybody has come back.
    const { queues } = await statusOf(gate, 'sale')
    expect(queues?.default?.waiting).toBeGreaterThan(stored / 2)
    expect(queues?.default?.waiting).toBeLessThanOrEqual(stored + 10)
    // Tickets from before hold: at half a visitor a second, nearly all wait on, and none is told to start again.
    expect(await refresh()).toBeGreaterThan(stored / 2)
    await expect.poll(waiting, WHEN_REPORTED).toBeGreaterThan(stored / 2)
    const { entries } = await ask('audit')
    expect(entries.map((entry: { id: string }) => entry.id)).toContain(id)
    const { points } = await ask('routes/sale/history?range=hour')
    expect(points.length).toBeGreaterThanOrEqual(before.points.length)
  })
})

describe('A restart of the runtime under load', () => {
  it('loses no knowledge, no session and no request', async ({ expect }) => {
    // 30 ms for each page and a new request every 20 ms: some are always in flight.
    origin.on('/page', ({ response }) => setTimeout(() => response.end('page'), 30))
    const Cookie = cookiesOf(await send(`${gate.url}/page`))
    const load = new Load(() => `${gate.url}/page`, { everyMs: 20 })
    const limitNow = async () => (await statusOf(gate, 'site')).plan?.limit ?? null
    await expect.poll(limitNow, WHEN_REPORTED).not.toBeNull()
    const before = (await limitNow())!

    await gate.close()
    gate = await start()
    const after = (await limitNow())!
    // There may have been a tick in between: one step of the learner, but no new start.
    expect(after / before).toBeGreaterThan(1 / 1.5)
    expect(after / before).toBeLessThan(1.5)
    const known = await send(`${gate.url}/page`, { headers: { Cookie } })
    expect(known.headers['tidegate-verdict']).toMatch(/^admit; reason=session;/)

    const { sent, answered, broken } = await load.stop()
    expect(broken).toBeGreaterThan(0)
    expect(answered + broken).toBe(sent)
    await expect
      .poll(async () => {
        const counts = await countsOf(gate, 'site')
        const { requests = 0, served = 0, failed = 0, abandoned = 0, inFlight } = counts ?? {}
        return { some: requests > 0, open: requests - served - failed - abandoned, inFlight }
      }, WHEN_REPORTED)
      .toEqual({ some: true, open: 0, inFlight: 0 })
  })
})
