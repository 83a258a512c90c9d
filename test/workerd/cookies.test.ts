import { Hono } from 'hono'
import { describe, it } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { tidegate } from '../../src/index.ts'
import { FakePort, FakeRuntime } from '../support/fakes.ts'

const NOW = 1_800_000_000_000
const env = { TIDEGATE_SECRET: 'a secret of the tests, long enough to be one' }

/** A gate without a plan. By default it refuses everybody without a session. */
function siteOf(keys: Partial<RouteConfig> = { startup: 'refuse' }) {
  const app = new Hono()
  const routes = [
    { name: 'shop', match: '/*', verdictHeader: true, whenFull: 'refuse' as const, ...keys },
  ]
  const options = { coordinator: new FakePort(), env, runtime: new FakeRuntime(NOW) }
  app.use(tidegate({ routes }, options))
  app.all('*', (c) => c.text('page'))
  return async (headers: HeadersInit, url = 'https://shop.example.com/', method = 'GET') => {
    const answer = await app.request(new Request(url, { method, headers }))
    return {
      status: answer.status,
      verdict: answer.headers.get('Tidegate-Verdict'),
      setCookie: answer.headers.get('Set-Cookie') ?? '',
    }
  }
}

/** The cookie of a session that such a site admits. */
async function sessionOf(keys: Partial<RouteConfig> = {}, url?: string): Promise<string> {
  return (await siteOf(keys)({}, url)).setCookie.split(';')[0]!
}

describe('cookies at the gate', () => {
  it('have the __Host- prefix on https', async ({ expect }) => {
    const { setCookie } = await siteOf({})({})
    expect(setCookie).toMatch(/^__Host-tidegate-shop=.*; Path=\/; .*; Secure$/)
    expect(setCookie).not.toContain('Domain')
    expect((await siteOf()({})).setCookie).toMatch(/^__Host-tidegate-shop-wait=.*; Secure$/)
    expect((await siteOf({})({}, 'http://shop.example.com/')).setCookie).toMatch(/^tidegate-shop=/)
  })

  it('have the SameSite of the route, for a payment that returns by a POST from another site', async ({
    expect,
  }) => {
    for (const [sameSite, attribute] of [
      [undefined, 'Lax'],
      ['strict', 'Strict'],
      ['none', 'None'],
    ] as const) {
      const session = sameSite === undefined ? {} : { sameSite }
      for (const keys of [{ session }, { session, startup: 'refuse' as const }])
        expect((await siteOf(keys)({})).setCookie).toContain(`; SameSite=${attribute};`)
    }
  })

  it('are found among 20 junk cookies of the same name', async ({ expect }) => {
    const good = await sessionOf()
    const [name, value] = good.split('=') as [string, string]
    const junk = Array.from({ length: 20 }, (_, i) => `${name}=${value.slice(0, -2)}${10 + i}`)
    for (const at of [0, 10, 20]) {
      const Cookie = junk.toSpliced(at, 0, good).join('; ')
      expect((await siteOf()({ Cookie })).verdict).toMatch(/^admit; reason=session;/)
    }
  })

  it('may come in two Cookie headers', async ({ expect }) => {
    const good = await sessionOf()
    for (const both of [
      ['a=b', good],
      [good, 'a=b'],
    ]) {
      const headers = new Headers()
      for (const one of both) headers.append('Cookie', one)
      expect((await siteOf()(headers)).verdict).toMatch(/^admit; reason=session;/)
    }
  })
})

describe('a session given in observe', () => {
  it('is drawn again in enforce, unless the route says otherwise', async ({ expect }) => {
    const Cookie = await sessionOf({ mode: 'observe', startup: 'refuse' })
    const observing = siteOf({ mode: 'observe', startup: 'refuse' })
    expect((await observing({ Cookie })).verdict).toMatch(/^admit; reason=session;/)
    expect((await siteOf()({ Cookie })).verdict).toMatch(/^refuse; reason=startup;/)
    const keeping = siteOf({ startup: 'refuse', session: { keepObserved: true } })
    expect((await keeping({ Cookie })).verdict).toMatch(/^admit; reason=session;/)
  })
})

describe('a CORS preflight', () => {
  it('passes, and is not a session', async ({ expect }) => {
    const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' }
    const url = 'https://shop.example.com/'
    const passed = await siteOf()(preflight, url, 'OPTIONS')
    expect(passed).toMatchObject({
      status: 200,
      verdict: expect.stringMatching(/^admit; reason=preflight;/),
      setCookie: '',
    })
    for (const headers of [{}, { Origin: 'https://app.example' }])
      expect((await siteOf()(headers, url, 'OPTIONS')).status).toBe(503)
    expect((await siteOf()(preflight, url, 'GET')).status).toBe(503)
  })

  it('is decided like a visitor if there are too many of them', async ({ expect }) => {
    const ask = siteOf()
    const verdicts: string[] = []
    for (let i = 0; i < 400; i++) {
      const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' }
      verdicts.push((await ask(headers, 'https://shop.example.com/', 'OPTIONS')).verdict!)
    }
    expect(
      verdicts.filter((verdict) => verdict.startsWith('admit; reason=preflight')),
    ).toHaveLength(300)
    expect(verdicts.at(-1)).toMatch(/^refuse; reason=startup;/)
  })
})

describe('Retry-After and Max-Age of the retry cookie', () => {
  it('agree in every refusal, also if two refusals end in the same second', async ({ expect }) => {
    let nowMs = NOW
    let turn = 0
    const runtime = { ...new FakeRuntime(NOW), now: () => nowMs, coin: () => (turn++ % 11) / 11 }
    const app = new Hono()
    const routes = [{ match: '/*', startup: 'refuse' as const, whenFull: 'refuse' as const }]
    app.use(tidegate({ routes }, { coordinator: new FakePort(), env, runtime }))
    for (let i = 0; i < 200; i++) {
      nowMs += 250
      const { headers } = await app.request('https://shop.example.com/')
      const [, maxAge] = /Max-Age=(\d+)/.exec(headers.get('Set-Cookie')!)!
      expect(headers.get('Retry-After')).toBe(maxAge)
    }
  })
})
