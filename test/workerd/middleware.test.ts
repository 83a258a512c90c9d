import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { type TidegateVariables, tidegate } from '../../src/index.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'
import { FakePort, FakeRuntime } from '../support/fakes.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

/** An app behind the gate. Its reports go to `coordinator`, by default the Durable Objects. */
function appOf(keys: Partial<RouteConfig> = {}, coordinator?: CoordinatorPort) {
  const runtime = new FakeRuntime(NOW)
  const app = new Hono<{ Variables: TidegateVariables }>()
  const options = coordinator ? { coordinator, runtime } : { runtime }
  app.use(tidegate({ routes: [{ name: 'shop', match: '/shop/*', ...keys }] }, options))
  app.onError((_, c) => c.text('broken', 500))
  const contexts: ExecutionContext[] = []
  const ask = async (path = '/shop', init: RequestInit<RequestInitCfProperties> = {}) => {
    const ctx = createExecutionContext()
    contexts.push(ctx)
    return app.fetch(new Request(`https://shop.example.com${path}`, init), env, ctx)
  }
  /** Advances the clock by a second, here and in the Durable Objects, and waits for all reports. */
  const second = async () => {
    vi.setSystemTime(Date.now() + 1000)
    await runtime.advance(1000)
    for (const ctx of contexts.splice(0)) await waitOnExecutionContext(ctx)
  }
  return { app, ask, runtime, second }
}

const cookieOf = (response: Response): string =>
  response.headers.get('Set-Cookie')?.split(';')[0] ?? ''

describe('the middleware', () => {
  it('admits, sets a signed cookie, and recognises the session by it', async ({ expect }) => {
    const port = new FakePort()
    const { app, ask, second } = appOf({}, port)
    app.get('/shop', (c) => c.json(c.var.verdict, 200, { 'Cache-Control': 'public, max-age=9' }))
    const first = await ask()
    expect(await first.json()).toEqual({ kind: 'admit', reason: 'startup' })
    expect(cookieOf(first)).toMatch(/^__Host-tidegate-shop=3\./)
    expect(first.headers.get('Cache-Control')).toBe('private, max-age=9')
    const again = await ask('/shop', { headers: { Cookie: cookieOf(first) } })
    expect(await again.json()).toEqual({ kind: 'admit', reason: 'session' })
    expect(again.headers.get('Set-Cookie')).toBeNull()
    expect(again.headers.get('Cache-Control')).toBe('public, max-age=9')
    await second()
    expect(port.last.routes.shop?.classes.default).toMatchObject({
      ...{ offered: 1, admitted: 1, requests: 2, served: 2, inFlight: 0 },
    })
  })

  it('passes requests that match no route', async ({ expect }) => {
    const { app, ask } = appOf({}, new FakePort())
    app.get('/other', (c) => c.text(String(c.var.verdict)))
    const response = await ask('/other')
    expect(await response.text()).toBe('undefined')
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  it('refuses by the limit in the coordinator’s plan: one in 100 s', async ({ expect }) => {
    const { app, ask, second } = appOf({
      learner: { name: 'fixed', limit: 0.01 },
      granularity: 'request',
      refusal: { status: 429 },
    })
    let served = 0
    app.get('/shop', (c) => c.text(`${++served}`))
    for (let i = 0; i < 2; i++) {
      expect((await ask()).status).toBe(200)
      await second()
    }
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('10')
    expect(await refused.json()).toMatchObject({ title: 'Busy', reason: 'share' })
    expect(cookieOf(refused)).toMatch(/^__Host-tidegate-shop-wait=/)
    expect(served).toBe(2)
  })

  it('throws the problems of its configuration when it is created', ({ expect }) => {
    expect(() => tidegate({ routes: [] })).toThrow('at least one route')
  })
})

describe('an admitted request', () => {
  const countsOf = async (
    work: (given: ReturnType<typeof appOf>) => Promise<unknown>,
    keys?: Partial<RouteConfig>,
  ) => {
    const port = new FakePort()
    const given = appOf(keys, port)
    await work(given)
    await given.second()
    if (port.reports.length < 2) {
      await given.ask()
      await given.second()
    }
    return port.last.routes.shop!.classes.default!
  }

  it('is served if the handler answers, also with a 404', async ({ expect }) => {
    const counts = await countsOf(({ ask }) => ask('/shop/nothing'))
    expect(counts).toMatchObject({ served: 2, failed: 0, inFlight: 0 })
  })

  it('has failed if the handler throws or answers with a 5xx', async ({ expect }) => {
    const counts = await countsOf(async ({ app, ask }) => {
      app.get('/shop/throws', () => {
        throw new Error('broken')
      })
      app.get('/shop/unable', (c) => c.text('unable', 503))
      expect((await ask('/shop/throws')).status).toBe(500)
      await ask('/shop/unable')
    })
    expect(counts).toMatchObject({ requests: 2, failed: 2, late: 2, served: 0, inFlight: 0 })
  })

  it('has failed if the handler throws a value that is not an Error', async ({ expect }) => {
    const counts = await countsOf(async ({ app, ask }) => {
      app.get('/shop/throws', () => {
        throw 'a text'
      })
      await expect(ask('/shop/throws')).rejects.toBe('a text')
      await ask('/shop')
    })
    expect(counts).toMatchObject({ requests: 2, failed: 1, served: 1, inFlight: 0 })
  })

  it('is abandoned once if the client leaves first', async ({ expect }) => {
    const counts = await countsOf(async ({ app, ask }) => {
      const arrived = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      app.get('/shop/slow', async (c) => {
        arrived.resolve()
        await answer.promise
        return c.text('too late')
      })
      const client = new AbortController()
      const response = ask('/shop/slow', { signal: client.signal })
      await arrived.promise
      client.abort()
      answer.resolve()
      await response
      await ask('/shop')
    })
    expect(counts).toMatchObject({ requests: 2, abandoned: 1, served: 1, failed: 0, inFlight: 0 })
  })

  it('streams: the first piece arrives before the last is made', async ({ expect }) => {
    const { app, ask } = appOf({}, new FakePort())
    const last = Promise.withResolvers<void>()
    app.get('/shop/stream', (c) =>
      stream(c, async (body) => {
        await body.write('first ')
        await last.promise
        await body.write('last')
      }),
    )
    const response = await ask('/shop/stream')
    expect(cookieOf(response)).not.toBe('')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('first ')
    last.resolve()
    expect((await reader.read()).value).toBe('last')
    expect((await reader.read()).done).toBe(true)
  })
})
