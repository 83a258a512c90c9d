import { env, evictDurableObject, SELF } from 'cloudflare:test'
import { describe, it } from 'vitest'
import { Signer } from '../../src/lib/signer.ts'
import { relayName } from '../../src/transport/durable-object.ts'
import { HTTP_RELAY, httpCoordinator } from '../../src/transport/http.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { statusesOf } from './desk.ts'

const BASE = 'https://gate.example.com'
const TOKEN = { Authorization: `Bearer ${env.TIDEGATE_ADMIN_TOKEN}` }

const ask = (path: string, init: RequestInit = {}) => SELF.fetch(`${BASE}${path}`, init)

const PATHS = [
  ...['/_tidegate/api/v1/routes', '/_tidegate/api/v1/routes/', '/_tidegate/index.html'],
  ...['/_tidegate/report', '/_tidegate/metrics', '/_tidegate/nothing/of/the/kind'],
  ...['//_tidegate/api/v1/routes', '/%5ftidegate/api/routes', '/shop/..%2f_tidegate/api/v1/routes'],
]

describe('the admin API without the token', () => {
  for (const path of PATHS)
    it(`answers 401, whether the path exists or not: ${path}`, async ({ expect }) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await ask(path, { method })
        expect(response.status, method).toBe(401)
        expect(await response.text()).toBe(
          '{"type":"about:blank","title":"Unauthorized","status":401}',
        )
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'cache-control': 'no-store',
          'content-type': 'application/problem+json',
          'www-authenticate': 'Bearer',
        })
      }
    })

  it('refuses tokens that are nearly right', async ({ expect }) => {
    const token = env.TIDEGATE_ADMIN_TOKEN
    for (const given of [
      ...['', 'Bearer', 'Bearer ', `Bearer ${token.slice(0, -1)}`, `Bearer ${token}x`],
      ...[
        token,
        `Basic ${token}`,
        `bearer ${token.toUpperCase()}`,
        `Bearer ${env.TIDEGATE_SECRET}`,
      ],
    ]) {
      const response = await ask('/_tidegate/api/v1/routes', { headers: { Authorization: given } })
      expect(response.status, given).toBe(401)
    }
  })
})

describe('the admin API with the token', () => {
  it('lists every route, also those without a request yet', async ({ expect }) => {
    const response = await ask('/_tidegate/api/v1/routes', { headers: TOKEN })
    expect(response.status).toBe(200)
    const { routes } = (await response.json()) as { routes: { name: string }[] }
    expect(routes.map(({ name }) => name)).toEqual(['shop', 'api', 'quiet'])
    expect(routes[2]).toMatchObject({
      ...{ name: 'quiet', origin: 'https://quiet.example.com', granularity: 'session' },
      ...{ mode: 'enforce', learner: { name: 'soc-lqr' }, plan: null, lastMinute: null },
      summary: { level: 'idle', text: 'No request has come since the gate was deployed.' },
    })
  })

  it('has the plan, the learner and the last minute’s figures', async ({ expect }) => {
    const setup = setupOf({ routes: { shop: {}, api: { granularity: 'request' } } })
    const counts = { shop: { default: { offered: 200, admitted: 50, requests: 50, served: 50 } } }
    const feedback = feedbackOf(counts, { toMs: Date.now(), setup })
    await env.TIDEGATE_COORDINATOR.getByName('origin').report(feedback)
    const response = await ask('/_tidegate/api/v1/routes', { headers: TOKEN })
    expect(await response.json()).toMatchObject({
      routes: [
        {
          name: 'shop',
          learner: { name: 'fixed', reason: 'fixed' },
          plan: { limit: 5, targetMs: 1000 },
          lastMinute: { offered: 200, refused: 150, classes: { default: { served: 50 } } },
        },
        { name: 'api', plan: { limit: 50 } },
        { name: 'quiet', plan: null },
      ],
    })
  })

  it('answers 404 for unknown paths', async ({ expect }) => {
    expect((await ask('/_tidegate/nothing', { headers: TOKEN })).status).toBe(404)
  })
})

const change = (before: string, after: string): string =>
  `{"action":"capacity","before":${before},"after":${after}}`
const CHANGE = change('4', '3')

describe('an announced change of capacity', () => {
  const announce = (route: string, body: string) =>
    ask(`/_tidegate/api/v1/routes/${route}/actions`, { method: 'POST', body, headers: TOKEN })

  it('is accepted for a known route and in the right form', async ({ expect }) => {
    expect((await announce('shop', CHANGE)).status).toBe(201)
    expect((await announce('nothing', CHANGE)).status).toBe(404)
    for (const body of ['', 'null', '{}', change('0', '3'), change('"4"', '3')])
      expect((await announce('shop', body)).status, body).toBe(400)
  })

  it('is refused where learners would ignore it: one is more than 1000 times the other', async ({
    expect,
  }) => {
    for (const body of [change('1', '1001'), change('1001', '1')]) {
      const answer = await announce('shop', body)
      expect(answer.status, body).toBe(400)
      expect(await answer.text()).toContain('1000 times')
    }
    expect((await announce('shop', change('1', '1000'))).status).toBe(201)
  })
})

describe('a report over HTTP', () => {
  /** To a new origin. */
  const report = (origin: string, secret = env.TIDEGATE_SECRET, nowMs = Date.now()) => {
    const port = httpCoordinator({
      ...{ url: BASE, secret, now: () => nowMs },
      fetch: (url, init) => SELF.fetch(url, init as RequestInit<RequestInitCfProperties>),
    })
    const feedback = feedbackOf({ shop: { default: { offered: 200 } } }, { setup: setupOf() })
    return port.report({ ...feedback, origin })
  }

  it('is accepted if it is signed, and answered with a plan', async ({ expect }) => {
    const { plan } = await report('signed')
    expect(plan).toMatchObject({
      ...{ seq: 1, setup: { id: 'a setup' } },
      routes: { shop: { classes: { default: { probability: 0.25 } } } },
    })
  })

  it('gets 401 with another secret, or if its time is 20 s old or 5 s ahead', async ({
    expect,
  }) => {
    await expect(report('a', 'a key that was never one of ours')).rejects.toThrow('401')
    for (const ms of [-20_001, 6_000])
      await expect(report('a', undefined, Date.now() + ms), `${ms}`).rejects.toThrow('401')
  })

  it('gets 401 if it is signed but not a report', async ({ expect }) => {
    const signer = new Signer({ current: env.TIDEGATE_SECRET, previous: null })
    const time = String(Date.now())
    for (const body of ['not JSON', 'null', '7', '{}']) {
      const headers = {
        'Tidegate-Time': time,
        'Tidegate-Head': signer.sign('report head', `${time}\n${body.length}`),
        'Tidegate-Signature': signer.sign('report', `${time}\n${body}`),
      }
      const response = await ask('/_tidegate/report', { method: 'POST', body, headers })
      expect(response.status, body).toBe(401)
    }
  })

  it('counts once over all data centres', async ({ expect }) => {
    const feedback = feedbackOf({ shop: { default: { offered: 200 } } }, { setup: setupOf() })
    const from = (colo: string) =>
      httpCoordinator({
        ...{ url: BASE, secret: env.TIDEGATE_SECRET },
        fetch: (url, init) => SELF.fetch(url, { ...init, cf: { colo } } as RequestInit<never>),
      }).report({ ...feedback, origin: 'replayed elsewhere' })
    for (const colo of ['BER', 'LHR', 'SIN']) await from(colo)
    const status = await statusesOf(env.TIDEGATE_COORDINATOR.getByName('replayed elsewhere'))
    expect(status).toMatchObject([{ senders: 1, lastMinute: { offered: 200 } }])
  })

  it('is not taken again after the relay has restarted and forgotten its numbers', async ({
    expect,
  }) => {
    const origin = 'replayed after a restart'
    const sentMs = Date.now()
    await report(origin, undefined, sentMs)
    await evictDurableObject(env.TIDEGATE_RELAY.getByName(relayName(origin, HTTP_RELAY)))
    await evictDurableObject(env.TIDEGATE_COORDINATOR.getByName(origin))
    await expect(report(origin, undefined, sentMs)).rejects.toThrow('409')
    const status = await statusesOf(env.TIDEGATE_COORDINATOR.getByName(origin))
    expect(status).toMatchObject([{ reports: { taken: 0 } }])
    // A report that was signed later than all before the restart is no copy.
    expect((await report(origin, undefined, sentMs + 4_000)).plan).not.toBeNull()
  })

  it('with a setup from the future does not hold it for good', async ({ expect }) => {
    const coordinator = env.TIDEGATE_COORDINATOR.getByName('ahead')
    const told = (id: string, seq: number, sinceMs: number) =>
      coordinator.report({
        ...feedbackOf({}, { seq, toMs: Date.now(), setup: setupOf({ id, sinceMs }) }),
        origin: 'ahead',
      })
    await told('ahead', 0, 9e15)
    const { plan } = await told('also ahead', 1, 9e15)
    expect(plan!.setup.sinceMs).toBeLessThan(9e15)
    const nextMs = plan!.setup.sinceMs + 1
    while (Date.now() <= nextMs) await new Promise((resolve) => setTimeout(resolve, 1))
    expect((await told('later', 2, nextMs)).plan!.setup.id).toBe('later')
    for (const [i, id] of ['ahead', 'also ahead', 'ahead'].entries())
      expect((await told(id, 3 + i, 9e15)).plan!.setup.id).toBe('later')
  })

  it('counts once, however often it is replayed', async ({ expect }) => {
    for (let i = 0; i < 3; i++) await report('replayed')
    const status = await statusesOf(env.TIDEGATE_COORDINATOR.getByName('replayed'))
    expect(status).toMatchObject([{ reports: { taken: 1 }, lastMinute: { offered: 200 } }])
  })
})
