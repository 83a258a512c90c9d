import fc from 'fast-check'
import { describe, it } from 'vitest'
import * as requests from '../../src/admin/api/requests.ts'
import { explain } from '../../src/admin/explain/explain.ts'
import { readBody, readQuery } from '../../src/admin/read-input.ts'
import { resolveConfig } from '../../src/config/load.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { anyJson, fuzz, nearly, textOf } from '../support/fuzz.ts'
import { routesOf } from '../support/requests.ts'

const BODIES = [
  [requests.ACTION_BODY, { action: 'limit', limit: 5, forS: 60, note: 'why' }],
  [requests.ACTION_BODY, { action: 'capacity', before: 20, after: 14 }],
  [requests.SIGN_IN_BODY, { token: 'a token', name: 'a name' }],
  [requests.EXPLAIN_BODY, { url: 'https://a.example/x', headers: { Cookie: 'a=b' }, ip: '::1' }],
  [requests.SERVERS_BODY, { servers: [{ url: 'https://a.example', weight: 2 }] }],
  [requests.DRAIN_BODY, { url: 'https://a.example', how: 'fixed', forS: 60 }],
  [requests.HISTORY_BODY, { hours: [{ hour: 5, rates: [1, 2] }] }],
  [requests.STOCK_BODY, { left: 5 }],
  [requests.TIER_BODY, { servers: 5 }],
] as const

const post = (body: string): Request =>
  new Request('https://gate.example/_tidegate/api/v1/x', { method: 'POST', body })

describe('a body for the admin API', () => {
  it('is accepted, or answered with 400 or 413 and what is wrong', async ({ expect }) => {
    const routes = routesOf({})
    const nobody = { hasSession: () => false, waitS: () => 0 }
    const input = fc
      .nat({ max: BODIES.length - 1 })
      .chain((i) => fc.tuple(fc.constant(i), fc.oneof(nearly(BODIES[i]![1]), anyJson)))
    let accepted = 0
    await fuzz(
      'admin-bodies',
      input,
      async ([i, value]) => {
        const read = await readBody(post(JSON.stringify(value) ?? ''), BODIES[i]![0])
        if (read instanceof Response) {
          expect([400, 413]).toContain(read.status)
          expect((await read.text()).length).toBeLessThan(100_000)
          return
        }
        accepted++
        if (i === 3) await explain({ routes }, read as never, nobody, async () => null)
      },
      // A line break or a letter beyond Latin-1 in a header was an error 500.
      [
        [3, { url: 'https://a.example/', headers: { a: 'b\nc' } }],
        [3, { url: 'https://a.example/', headers: { a: '\u0142' } }],
      ],
    )
    expect(accepted).toBeGreaterThan(20)
  })

  it('is refused when it is too long, without reading the rest', async ({ expect }) => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(4096).fill(32))
      },
    })
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit
    const answer = await readBody(new Request('https://a.example/', init), requests.STOCK_BODY)
    expect((answer as Response).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })
})

describe('a query for the admin API', () => {
  it('is accepted, or answered with 400', async ({ expect }) => {
    const schemas = [
      ...[requests.LOG_QUERY, requests.ROUTES_QUERY, requests.HISTORY_QUERY],
      ...[requests.VERDICTS_QUERY, requests.NO_QUERY],
    ]
    const query = textOf(
      ...['limit=', 'before=', 'after=', 'route=', 'range=', '&', '=', 'hour', '5', '201', '1e3'],
      ...['%', '%00', '%ud800', '__proto__=', 'constructor=', '#', '99999999999999999', '-1'],
    )
    await fuzz('admin-queries', query, (text) => {
      const request = new Request(`https://gate.example/x?${text}`)
      for (const schema of schemas) {
        const read = readQuery(request, schema)
        if (read instanceof Response) expect(read.status).toBe(400)
        else if ('limit' in read) expect(read.limit).toBeLessThanOrEqual(200)
      }
    })
  })
})

describe('a configuration', () => {
  it('of any JSON is accepted, or refused with its problems', async ({ expect }) => {
    const good = {
      routes: [
        {
          ...{ name: 'shop', match: '/*', origin: 'https://a.example', sla: { targetMs: 500 } },
          classes: [{ name: 'a', value: 2, match: { path: '/x', header: { A: true } } }],
          ...{ session: { idleMs: 60_000 }, learner: { name: 'fixed', limit: 5 } },
          bypass: [{ ip: ['10.0.0.0/8'] }],
        },
      ],
    }
    let accepted = 0
    await fuzz('config', nearly(good), (value) => {
      const result = resolveConfig(value, { origin: 'required', learners: LEARNER_OPTIONS })
      if (result.ok) accepted++
      else expect(result.problems.length).toBeGreaterThan(0)
    })
    expect(accepted).toBeGreaterThan(10)
  })
})
