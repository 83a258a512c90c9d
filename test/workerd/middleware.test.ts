import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { RouteAdmission } from '../../src/admission/route-admission.ts'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { InProcessCoordinator, type TidegateVariables, tidegate } from '../../src/index.ts'
import { histogramTotal } from '../../src/lib/histogram.ts'
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

  it('reads a small body before its handlers, so that a slow client is not their time', async ({
    expect,
  }) => {
    const port = new FakePort()
    const { app, ask, runtime, second } = appOf({}, port)
    app.post('/shop', async (c) => c.text(`${await c.req.text()} at ${runtime.now() - NOW}`))
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    const headers = { 'Content-Length': '5' }
    const asking = ask('/shop', { method: 'POST', body: readable, headers })
    const letters = new TextEncoder()
    await writer.write(letters.encode('he'))
    await runtime.advance(5000)
    await writer.write(letters.encode('llo'))
    await writer.close()
    expect(await (await asking).text()).toBe('hello at 5000')
    // A report goes out behind a request.
    await ask('/shop', { method: 'POST' })
    await second()
    const sum = (name: 'served' | 'late' | 'latencyUs') =>
      port.reports.reduce((all, { routes }) => all + routes.shop!.classes.default![name], 0)
    expect([sum('served'), sum('late'), sum('latencyUs')]).toEqual([2, 0, 0])
  })

  it('does not count cheap answers as pages: 404, 304, redirects and HEAD show no capacity', async ({
    expect,
  }) => {
    const port = new FakePort()
    const { app, ask, runtime, second } = appOf({}, port)
    const cheap = { '/shop/gone': 404, '/shop/same': 304, '/shop/moved': 302 } as const
    app.get('/shop', async (c) => {
      if (c.req.method !== 'HEAD') await runtime.advance(100)
      return c.text('page')
    })
    for (const [path, status] of Object.entries(cheap))
      app.get(path, () => new Response(null, { status }))
    const cookie = cookieOf(await ask())
    const asks = async (path: string, method = 'GET') =>
      void (await (await ask(path, { method, headers: { Cookie: cookie } })).text())
    // Young sessions tell what a page costs, and so many answers of a kind what the kind costs.
    const round = async () => {
      await asks('/shop')
      for (const path of Object.keys(cheap)) await asks(path)
      await asks('/shop', 'HEAD')
    }
    for (let i = 0; i < 40; i++) await round()
    await second()
    const before = port.reports.length
    for (let i = 0; i < 20; i++) await round()
    await second()
    const sum = (name: 'served' | 'ignoredServed') =>
      port.reports
        .slice(before)
        .reduce((all, { routes }) => all + (routes.shop?.classes.default?.[name] ?? 0), 0)
    expect(sum('served')).toBe(100)
    // Of five answers one is a page.
    expect(sum('served') - sum('ignoredServed')).toBeLessThanOrEqual(22)
    expect(sum('served') - sum('ignoredServed')).toBeGreaterThanOrEqual(20)
  })

  it('leaves a large body to its handlers: it is no time of theirs, holds no place in flight, and has a cap of its own', async ({
    expect,
  }) => {
    const port = new FakePort()
    const { app, ask, runtime, second } = appOf({ upload: { maxOpen: 1 } }, port)
    app.post('/shop', async (c) => c.text(`${(await c.req.arrayBuffer()).byteLength}`))
    const upload = () => {
      const { readable, writable } = new IdentityTransformStream()
      const headers = { 'Content-Length': '70000' }
      const asking = ask('/shop', { method: 'POST', body: readable, headers })
      return { asking, writer: writable.getWriter() }
    }
    const first = upload()
    await first.writer.write(new Uint8Array(10))
    await runtime.advance(5000)
    const refused = await upload().asking
    expect(await refused.json()).toMatchObject({ reason: 'uploads' })
    // A report goes out behind a request.
    await ask('/shop', { method: 'POST' })
    await runtime.advance(1000)
    expect(port.last.routes.shop!.classes.default!.inFlight).toBe(0)
    await first.writer.write(new Uint8Array(69_990))
    await first.writer.close()
    expect(await (await first.asking).text()).toBe('70000')
    // Its place is free again.
    const next = upload()
    await next.writer.write(new Uint8Array(70_000))
    await next.writer.close()
    expect((await next.asking).status).toBe(200)
    await second()
    const sum = (name: 'served' | 'late' | 'latencyUs') =>
      port.reports.reduce((all, { routes }) => all + routes.shop!.classes.default![name], 0)
    expect([sum('served'), sum('late'), sum('latencyUs')]).toEqual([3, 0, 0])
    const samples = port.reports.reduce(
      (all, { routes }) => all + histogramTotal(routes.shop!.classes.default!.latency),
      0,
    )
    expect(samples).toBe(1)
  })

  it("takes the client's address from its option, such as the socket's, and from no header", async ({
    expect,
  }) => {
    const runtime = new FakeRuntime(NOW)
    const app = new Hono<{ Variables: TidegateVariables }>()
    const addresses = new WeakMap<Request, string>()
    app.use(
      tidegate(
        { routes: [{ match: '/*', bypass: [{ ip: '10.0.0.0/8' }] }] },
        {
          ...{ coordinator: new FakePort(), runtime },
          clientIp: (request) => addresses.get(request) ?? null,
        },
      ),
    )
    app.get('/', (c) => c.text(c.var.verdict.reason))
    const claims = {
      'CF-Connecting-IP': '10.1.2.3',
      'X-Forwarded-For': '10.1.2.3',
      'X-Real-IP': '10.1.2.3',
    }
    const reasonFor = async (address?: string) => {
      const request = new Request('https://shop.example.com/', { headers: claims })
      if (address !== undefined) addresses.set(request, address)
      return (await app.fetch(request, env, createExecutionContext())).text()
    }
    expect(await reasonFor('10.1.2.3')).toBe('bypass')
    expect(await reasonFor('192.0.2.7')).toBe('startup')
    expect(await reasonFor()).toBe('startup')
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
    // A small burst passes: calm traffic is never refused.
    let refused = await ask()
    expect(refused.status).toBe(200)
    for (let i = 0; i < 6 && refused.status === 200; i++) {
      await second()
      refused = await ask()
    }
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('10')
    expect(await refused.json()).toMatchObject({ title: 'Busy', reason: 'share' })
    expect(cookieOf(refused)).toMatch(/^__Host-tidegate-shop-wait=/)
    expect(served).toBeLessThanOrEqual(5)
  })

  it('tells handlers the quality of the answer, and redirects the excess', async ({ expect }) => {
    const keys = {
      granularity: 'request',
      learner: { name: 'fixed', limit: 1 },
      fairness: false,
      whenFull: ['degrade', 'redirect'],
      degrade: { quality: { min: 0.5, switches: ['reviews'] } },
      redirect: { to: 'https://eu.example.com' },
    } as const
    const { app, ask, second } = appOf(keys, new InProcessCoordinator(() => Date.now()))
    app.get('/shop', (c) => c.json(c.get('tidegate')))
    expect(await (await ask()).json()).toMatchObject({ quality: 1, off: [] })
    await second()
    const answers: Response[] = []
    for (let i = 0; i < 10; i++) answers.push(await ask())
    const wanted = await Promise.all(
      answers.filter(({ status }) => status === 200).map((answer) => answer.json()),
    )
    expect(wanted.at(-1)).toMatchObject({
      quality: 0.5,
      off: ['reviews'],
      verdict: { kind: 'degrade', reason: 'quality' },
    })
    const redirect = answers.find(({ status }) => status === 307)
    expect(redirect?.headers.get('Location')).toBe('https://eu.example.com/shop')
  })

  it('throws the problems of its configuration when it is created', ({ expect }) => {
    expect(() => tidegate({ routes: [] })).toThrow('at least one route')
  })
})

describe('an exception in the gate behind the middleware', () => {
  const brokenApp = (failure: RouteConfig['failure'] & string) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    vi.spyOn(RouteAdmission.prototype, 'decide').mockImplementation(() => {
      throw new Error('a bug')
    })
    const port = new FakePort()
    const given = appOf({ failure }, port)
    given.app.get('/shop', (c) => c.json(c.var.tidegate))
    return { ...given, port }
  }
  afterEach(() => void vi.restoreAllMocks())

  it('follows the failure rule, and is counted', async ({ expect }) => {
    const open = brokenApp('open')
    const passed = await open.ask()
    expect([passed.status, await passed.json()]).toEqual([
      200,
      { verdict: { kind: 'admit', reason: 'fault' }, quality: 1, off: [] },
    ])
    await open.second()
    await open.ask()
    await open.second()
    expect(open.port.last.routes.shop!.classes.default).toMatchObject({ admits: { fault: 1 } })
    const closed = brokenApp('closed')
    const refused = await closed.ask()
    expect([refused.status, refused.headers.has('Retry-After')]).toEqual([503, true])
    await closed.second()
    await closed.ask()
    await closed.second()
    expect(closed.port.last.routes.shop!.classes.default).toMatchObject({ refusals: { fault: 1 } })
  })

  it('does not swallow the errors of handlers', async ({ expect }) => {
    const { app, ask } = appOf({ failure: 'open' }, new FakePort())
    app.get('/shop', () => {
      throw new Error('of the app')
    })
    const answer = await ask()
    expect([answer.status, await answer.text()]).toEqual([500, 'broken'])
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
    return port.last.routes.shop!.classes.default!
  }

  it('is served if the handler answers, also with a 404', async ({ expect }) => {
    const counts = await countsOf(({ ask }) => ask('/shop/nothing'))
    expect(counts).toMatchObject({ served: 1, failed: 0, inFlight: 0 })
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
