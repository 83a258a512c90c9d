import { env, SELF } from 'cloudflare:test'
import { type GenericSchema, parse, strictObject } from 'valibot'
import { beforeAll, describe, it } from 'vitest'
import { ANSWERS, PROBLEM } from '../../src/admin/api/answers.ts'
import document from '../../src/admin/api/openapi.json' with { type: 'json' }
import type { OperationId } from '../../src/admin/api/operations.ts'
import { classHash } from '../../src/protocol/verdict-id.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const BASE = 'https://gate.example.com'
const WRITE = { Authorization: `Bearer ${env.TIDEGATE_ADMIN_TOKEN}` }
const READ = { Authorization: `Bearer ${env.TIDEGATE_ADMIN_READ_TOKEN}` }
const V1 = '/_tidegate/api/v1'

const ask = (path: string, init: RequestInit = {}) => SELF.fetch(`${BASE}${path}`, init)
const act = (body: object, headers: Record<string, string> = WRITE) =>
  ask(`${V1}/routes/shop/actions`, { method: 'POST', headers, body: JSON.stringify(body) })
const json = async <Value>(response: Response | Promise<Response>): Promise<Value> =>
  (await (await response).json()) as Value

/** Traffic of a second at the route `shop`, so that its coordinator has a plan. */
async function traffic(seq: number): Promise<void> {
  const setup = setupOf({ routes: { shop: {}, api: { granularity: 'request' } } })
  const counts = {
    shop: {
      default: {
        ...{ offered: 200, admitted: 50, requests: 50, served: 50 },
        ...{ admits: { share: 50 }, refusals: { share: 150 }, latency: [80, 50] },
      },
    },
  }
  await env.TIDEGATE_COORDINATOR.getByName('origin').report(
    feedbackOf(counts, { seq, toMs: Date.now(), setup }),
  )
}

beforeAll(() => traffic(1))

interface Call extends RequestInit {
  readonly path?: string
  /** Absent: that of a success. */
  readonly expected?: 404
}

/** A request for each operation of the document. */
const CALLS: Readonly<Record<OperationId, () => Promise<Call>>> = {
  signIn: async () => ({ body: JSON.stringify({ token: env.TIDEGATE_ADMIN_TOKEN }), ...CSRF }),
  signOut: async () => CSRF,
  me: async () => ({}),
  routes: async () => ({}),
  status: async () => ({}),
  live: async () => ({ headers: { Upgrade: 'websocket' } }),
  history: async () => ({}),
  events: async () => ({}),
  audit: async () => ({}),
  explain: async () => ({ body: JSON.stringify({ url: `${BASE}/shop/1` }) }),
  verdicts: async () => ({}),
  verdict: async () => ({ path: VERDICT_ID }),
  openapi: async () => ({}),
  // No capacity is planned in this configuration. test/workerd/capacity.test.ts has one.
  capacity: async () => ({ expected: 404 }),
  setTier: async () => ({ path: 'web', body: JSON.stringify({ servers: 3 }), expected: 404 }),
  importHistory: async () => ({ body: JSON.stringify({ hours: [] }) }),
  servers: async () => ({}),
  setServers: async () => ({ body: JSON.stringify({ servers: null }) }),
  setStock: async () => ({ body: JSON.stringify({ left: 3 }) }),
  roomEvents: async () => ({}),
  setRoomEvent: async () => ({
    path: 'sale',
    body: JSON.stringify({ opens: '2036-11-27T10:00', zone: 'Europe/Berlin' }),
  }),
  deleteRoomEvent: async () => {
    const url = `${V1}/routes/shop/waiting-room/events/sale`
    const body = JSON.stringify({ closes: '2036-11-27T10:00Z' })
    await ask(url, { method: 'PUT', headers: WRITE, body })
    return { path: 'sale' }
  },
  drain: async () => {
    const servers = ['https://a.example.com', 'https://b.example.com'].map((url) => ({
      url,
      weight: 1,
    }))
    await env.TIDEGATE_COORDINATOR.getByName('origin').setServers(servers)
    return { body: JSON.stringify({ url: 'https://a.example.com', how: 'fixed', forS: 60 }) }
  },
  act: async () => ({ body: JSON.stringify({ action: 'mode', mode: 'observe', forS: 60 }) }),
  undo: async () => {
    const { id } = await json<{ id: string }>(act({ action: 'limit', limit: 7 }))
    return { path: id }
  },
}
const VERDICT_ID = `${Date.now().toString(36)}-${classHash('shop', 'default')}-1-1-refuse.share`
const CSRF = { headers: { 'Tidegate-Csrf': '1' } }

describe('every operation of the API document', () => {
  for (const [template, methods] of Object.entries(document.paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      const id = operationId as OperationId
      it(`answers as the document says: ${id}`, async ({ expect }) => {
        const { path = '', headers, expected, ...init } = await CALLS[id]()
        const filled = template.replace('{route}', 'shop').replace(/\{(id|tier|name)\}/, path)
        const response = await ask(filled, {
          ...{ ...init, method: method.toUpperCase() },
          headers: { ...WRITE, ...headers },
        })
        const { status, body } = ANSWERS[id]
        expect(response.status).toBe(expected ?? status)
        if (expected !== undefined) return void parse(PROBLEM, await response.json())
        expect(response.headers.get('Cache-Control') ?? 'no-store').toBe('no-store')
        if (body === null) response.webSocket?.accept()
        else parse(exactly(body), await response.json())
        response.webSocket?.close()
      })
    }

  it('is refused without a token, and with a read token where it changes something', async ({
    expect,
  }) => {
    for (const [template, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const path = template.replace('{route}', 'shop').replace('{id}', 'x')
        if ('security' in operation) continue
        const init = { method: method.toUpperCase() }
        expect((await ask(path, init)).status, path).toBe(401)
        if (!operation.description.includes('write')) continue
        const refused = await ask(path, { ...init, headers: READ })
        expect(refused.status, path).toBe(403)
        parse(PROBLEM, await refused.json())
      }
  })
})

/** A schema of an object that allows no other keys. */
function exactly(schema: GenericSchema): GenericSchema {
  return 'entries' in schema && schema.type === 'object'
    ? strictObject(schema.entries as Record<string, GenericSchema>)
    : schema
}

describe('errors of the API', () => {
  const wrong: readonly [string, string, object | string, number, RegExp][] = [
    [
      'POST',
      '/routes/shop/actions',
      { action: 'mode', mode: 'on' },
      400,
      /mode: expected .*enforce.*found "on"/,
    ],
    [
      'POST',
      '/routes/shop/actions',
      { action: 'limit', limit: -1 },
      400,
      /limit: expected >=0, found -1/,
    ],
    [
      'POST',
      '/routes/shop/actions',
      { action: 'value', class: 'vip', value: 2 },
      400,
      /class: expected one of "default", found "vip"/,
    ],
    [
      'POST',
      '/routes/shop/actions',
      { action: 'limit', limit: 1, more: 1 },
      400,
      /more: expected never/,
    ],
    ['POST', '/routes/shop/actions', 'not JSON', 400, /expected JSON/],
    ['POST', '/routes/shop/actions', 'x'.repeat(20_000), 413, /at most/],
    ['POST', '/routes/nothing/actions', { action: 'forget' }, 404, /There is no route "nothing"/],
    ['DELETE', '/routes/shop/actions/never', '', 409, /nothing to undo/],
    ['GET', '/routes/nothing/status', '', 404, /There is no route/],
    ['GET', '/routes/shop/history?range=year', '', 400, /range: expected .*"minute"/],
    ['GET', '/events?limit=1000', '', 400, /limit: expected <=200/],
    ['GET', '/events?since=1', '', 400, /since/],
    ['GET', '/routes/shop/live', '', 426, /WebSocket/],
    ['PUT', '/routes/shop/status', '', 405, /Allowed here: GET/],
    ['GET', '/nothing', '', 404, /./],
  ]
  for (const [method, path, body, status, detail] of wrong)
    it(`are problem documents: ${method} ${path} ${status}`, async ({ expect }) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const init = method === 'GET' || text === '' ? {} : { body: text }
      const response = await ask(`${V1}${path}`, { method, headers: WRITE, ...init })
      expect(response.status).toBe(status)
      expect(response.headers.get('Content-Type')).toBe('application/problem+json')
      const problem = parse(PROBLEM, await response.json())
      expect(`${problem.detail ?? problem.title}`).toMatch(detail)
    })
})

describe('pages of the API', () => {
  it('go through all routes', async ({ expect }) => {
    const names: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after === '' ? '' : `&after=${after}`
      const page = await json<{ routes: { name: string }[]; next: string | null }>(
        ask(`${V1}/routes?limit=2${query}`, { headers: READ }),
      )
      names.push(...page.routes.map(({ name }) => name))
      after = page.next
    }
    expect(names).toEqual(['shop', 'api', 'quiet'])
  })

  it('go through the audit log, newest first', async ({ expect }) => {
    for (const limit of [1, 2, 3, 4, 5]) await act({ action: 'limit', limit })
    const found: (string | number)[] = []
    for (let before = ''; found.length < 5; ) {
      const page = await json<{ entries: { to: number }[]; next: number }>(
        ask(`${V1}/audit?route=shop&limit=2${before}`, { headers: READ }),
      )
      found.push(...page.entries.map(({ to }) => to))
      before = `&before=${page.next}`
    }
    expect(found.slice(0, 5)).toEqual([5, 4, 3, 2, 1])
  })
})
