import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { BYPASS, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { NEXT_TO_NOTHING } from '../support/e2e/full-gate.ts'
import { hasProgram, startPrometheus } from '../support/e2e/prometheus.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import {
  GATE_SECRETS,
  type GateInColo,
  startTwoGates,
  type TwoGates,
} from '../support/e2e/two-gates.ts'

let origin: ScriptedOrigin

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
})
afterAll(() => origin.close())

const routeWith = (keys: object) => ({
  ...{ name: 'site', match: '/*', origin: origin.url, bypass: BYPASS, granularity: 'request' },
  ...keys,
})

describe('an action of an operator', () => {
  let two: TwoGates
  const headers = { Authorization: `Bearer ${GATE_SECRETS.TIDEGATE_ADMIN_TOKEN}` }
  const statusOf = async (gate: GateInColo) => (await gate.ask('/')).status

  beforeAll(async () => {
    two = await startTwoGates({ routes: [routeWith({ learner: NEXT_TO_NOTHING })] })
  })
  afterAll(() => two.close())

  it('is in force within 2 s in every isolate, and so is its end', async ({ expect }) => {
    const [berlin, sydney] = two.gates
    for (const gate of two.gates) await expect.poll(() => statusOf(gate), WHEN_REPORTED).toBe(503)
    const path = '/_tidegate/api/v1/routes/site/actions'
    const body = JSON.stringify({ action: 'mode', mode: 'observe' })
    const acted = await berlin.ask(path, { method: 'POST', headers, body })
    expect(acted.status).toBe(201)
    // Each request is a new draw. It is let in as soon as its isolate knows.
    const within2s = { timeout: 2000, interval: 50 }
    await expect.poll(() => statusOf(berlin), within2s).toBe(200)
    await expect.poll(() => statusOf(sydney), within2s).toBe(200)
    const { id } = JSON.parse(acted.text) as { id: string }
    expect((await sydney.ask(`${path}/${id}`, { method: 'DELETE', headers })).status).toBe(200)
    await expect.poll(() => statusOf(sydney), within2s).toBe(503)
    await expect.poll(() => statusOf(berlin), within2s).toBe(503)
    const audit = await berlin.ask('/_tidegate/api/v1/audit', { headers })
    expect(JSON.parse(audit.text).entries).toMatchObject([
      { kind: 'undo', from: 'observe', to: 'enforce' },
      { kind: 'mode', from: 'enforce', to: 'observe' },
    ])
  })
})

describe('the metrics', () => {
  let gate: LocalGate
  /** Requests of the first test. */
  let sent = 0
  const metrics = async () => {
    await send(`${gate.url}/`, { headers: { 'X-Carrier': '1' } })
    const headers = { Authorization: `Bearer ${gate.adminToken}` }
    return (await send(`${gate.url}/_tidegate/metrics`, { headers })).text
  }

  beforeAll(async () => {
    const classes = [{ name: 'members', value: 9, match: { path: '/members/*' } }]
    const config = { routes: [routeWith({ classes, learner: { name: 'fixed', limit: 20 } })] }
    gate = await startLocalGate({ config, port: 0 })
  })
  afterAll(() => gate?.close())

  it('agree with what the clients saw, to the request', async ({ expect }) => {
    const seen: Record<string, number> = {}
    const ask = async (path: string): Promise<void> => {
      const { status } = await send(`${gate.url}${path}`)
      const key = `${path} ${status === 200 ? 'admit' : 'refuse'}`
      seen[key] = (seen[key] ?? 0) + 1
    }
    // Until refusals are among them: the first plan comes after a second.
    for (let i = 0; i < 2000 && (seen['/ refuse'] ?? 0) < 50; i++)
      await Promise.all([ask('/members/'), ask('/'), ask('/'), ask('/'), ask('/')])
    expect(seen['/ refuse']).toBeGreaterThanOrEqual(50)
    const counted = async () => {
      const sums: Record<string, number> = {}
      const lines = /tidegate_requests_total{route="site",class="(\w+)",verdict="(\w+)".*} (\d+)/g
      for (const [, name, verdict, count] of (await metrics()).matchAll(lines)) {
        const key = `${name === 'members' ? '/members/' : '/'} ${verdict}`
        sums[key] = (sums[key] ?? 0) + Number(count)
      }
      return sums
    }
    await expect.poll(counted, WHEN_REPORTED).toEqual(seen)
    const served = /tidegate_origin_requests_total{.*class="default",outcome="served"} (\d+)/
    expect(Number(served.exec(await metrics())![1])).toBe(seen['/ admit'])
    sent = Object.values(seen).reduce((sum, count) => sum + count, 0)
  })

  it('are scraped by Prometheus', { skip: !hasProgram('prometheus') }, async ({ expect }) => {
    const { query, close } = await startPrometheus(gate)
    try {
      await expect
        .poll(() => query('sum(tidegate_requests_total{route="site"})'), WHEN_REPORTED)
        .toBe(sent)
      expect(await query('up{job="tidegate"}')).toBe(1)
      expect(await query('tidegate_limit{route="site"}')).toBe(20)
    } finally {
      await close()
    }
  })
})
