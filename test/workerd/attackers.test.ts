import { Hono } from 'hono'
import { describe, it } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { mintPass, tidegate } from '../../src/index.ts'
import { FakePort, FakeRuntime } from '../support/fakes.ts'

const NOW = 1_800_000_000_000
const SECRET = 'a secret of the tests, long enough to be one'
const SITE = 'https://shop.example.com'

/** Two routes of a gate without a plan. By default they refuse everybody without a session. */
function siteOf(keys: Partial<RouteConfig> = { startup: 'refuse' }) {
  const app = new Hono()
  const shared = { verdictHeader: true, whenFull: 'refuse' as const, ...keys }
  const routes = [
    { name: 'shop', match: '/shop/*', ...shared },
    { name: 'other', match: '/*', ...shared },
  ]
  const env = { TIDEGATE_SECRET: SECRET }
  const options = { coordinator: new FakePort(), env, runtime: new FakeRuntime(NOW) }
  app.use(tidegate({ routes }, options))
  app.all('*', (c) => c.text('page'))
  return (headers: Record<string, string>, path = '/shop/7', cf?: object) =>
    app.request(new Request(`${SITE}${path}`, { headers, ...(cf ? { cf } : {}) } as RequestInit))
}

const verdictOf = (answer: Response): string => answer.headers.get('Tidegate-Verdict') ?? ''

/** `name` and `value` of each cookie that an answer sets. */
const cookiesOf = (answer: Response): readonly (readonly [string, string])[] =>
  answer.headers.getSetCookie().map((line) => {
    const [name = '', ...value] = line.split(';')[0]!.split('=')
    return [name, value.join('=')] as const
  })

describe('cookies, tickets and passes of an attacker', () => {
  it('forged, cut, huge or sent a thousand times let nobody in, and hide no real one', async ({
    expect,
  }) => {
    const ask = siteOf()
    const [[name, good] = ['', '']] = cookiesOf(await siteOf({})({}))
    const forged = `${good.slice(0, -3)}AAA`
    const bad = [
      ...['', '.', '%', forged, good.slice(0, -1), good.slice(1), `${good}x`, good.repeat(2)],
      ...['x'.repeat(60_000), '.'.repeat(60_000), `${'%'.repeat(30_000)}.${good}`],
    ]
    for (const value of bad)
      for (const header of [
        { Cookie: `${name}=${value}` },
        { 'Tidegate-Ticket': value },
        { 'Tidegate-Pass': value },
        { Cookie: `${name}-ticket=${value}; ${name}-wait=${value}; tidegate-pass=${value}` },
      ]) {
        const answer = await ask(header)
        expect(answer.status, JSON.stringify(header).slice(0, 200)).toBe(503)
        expect(verdictOf(answer)).toMatch(/^refuse; reason=startup;/)
      }
    const many = Array.from({ length: 1000 }, () => `${name}=.${forged}`).join('; ')
    expect((await ask({ Cookie: many })).status).toBe(503)
    expect(verdictOf(await ask({ Cookie: `${many}; ${name}=${good}` }))).toMatch(/reason=session/)
  })

  it('signed for another route or purpose are worth nothing', async ({ expect }) => {
    const open = siteOf({})
    const sessions = [...cookiesOf(await open({})), ...cookiesOf(await open({}, '/'))]
    const refused = cookiesOf(await siteOf()({}))
    const queueing = { startup: 'refuse', whenFull: 'queue' } as const
    const waiting = cookiesOf(await siteOf(queueing)({}))
    const pass = mintPass({
      ...{ secret: SECRET, route: 'other', skip: true },
      expires: new Date(NOW + 3_600_000),
    })
    const tokens = [...sessions, ...refused, ...waiting, ['tidegate-pass', pass] as const]
    expect(tokens.length).toBeGreaterThanOrEqual(4)
    const names = [...new Set(tokens.map(([name]) => name))]
    const ask = siteOf()
    for (const [own, value] of tokens)
      for (const name of names) {
        if (own === name) continue
        const answer = await ask({ Cookie: `${name}=${value}` })
        expect(answer.status, `${own} as ${name}`).toBe(503)
        expect(verdictOf(answer)).toMatch(/reason=startup/)
      }
    // A pass for the other route does not help on this one, wherever it is sent.
    expect((await ask({ 'Tidegate-Pass': pass })).status).toBe(503)
    expect((await ask({}, `/shop/7?tidegate-pass=${pass}`)).status).toBe(503)
    expect((await ask({ 'Tidegate-Pass': pass }, '/')).status).toBe(200)
  })
})

describe('headers of an attacker', () => {
  it('claim no class by country, address, network or pass', async ({ expect }) => {
    const ask = siteOf({
      classes: [
        { name: 'country', value: 9, match: { country: 'DE' } },
        { name: 'address', value: 9, match: { ip: '10.0.0.0/8' } },
        { name: 'network', value: 9, match: { asn: 64_500 } },
        { name: 'pass', value: 9, match: { pass: true } },
        { name: 'rest', value: 1 },
      ],
      startup: 'refuse',
    })
    const claims: Record<string, string> = {
      ...{ 'CF-IPCountry': 'DE', 'CF-IPASN': '64500', 'CF-Worker': 'x', 'CF-Ray': 'x' },
      ...{ 'X-Forwarded-For': '10.1.2.3', 'X-Real-IP': '10.1.2.3', 'True-Client-IP': '10.1.2.3' },
      ...{ Forwarded: 'for=10.1.2.3', 'X-Client-IP': '10.1.2.3', 'X-ASN': '64500' },
      ...{ 'Tidegate-Class': 'pass', 'Tidegate-Verdict': 'admit', 'Tidegate-Pass': 'true' },
      ...{ 'Tidegate-Quality': '1', 'Tidegate-Session': 'admit' },
    }
    expect(verdictOf(await ask(claims))).toMatch(/class=rest\b/)
    // The classes are there: what the runtime says puts a visitor into them.
    expect(verdictOf(await ask({}, '/shop/7', { country: 'DE' }))).toMatch(/class=country\b/)
  })
})

describe('answers of the gate itself', () => {
  it('are stored by no cache: refusals, waiting rooms and pages for browsers', async ({
    expect,
  }) => {
    for (const whenFull of ['refuse', 'queue'] as const)
      for (const Accept of ['text/html', 'application/json'])
        for (const headers of [{ Accept }, { Accept, 'X-Forwarded-Host': 'evil.example' }]) {
          const answer = await siteOf({ startup: 'refuse', whenFull })(headers)
          expect(answer.headers.get('Cache-Control')).toBe('no-store')
          for (const name of ['CDN-Cache-Control', 'Expires', 'ETag', 'Last-Modified', 'Age'])
            expect(answer.headers.has(name), name).toBe(false)
          expect(await answer.text()).not.toContain('evil.example')
        }
  })

  it('say nothing that the client wrote: no header and no part of the address', async ({
    expect,
  }) => {
    const marker = 'zq<script>7'
    for (const whenFull of ['refuse', 'queue'] as const)
      for (const Accept of ['text/html', 'application/json']) {
        const headers = { Accept, 'User-Agent': marker, 'Accept-Language': marker, Referer: marker }
        const answer = await siteOf({ startup: 'refuse', whenFull })(
          headers,
          `/shop/${encodeURIComponent(marker)}?q=${encodeURIComponent(marker)}`,
        )
        const all = `${await answer.text()}${JSON.stringify([...answer.headers])}`
        expect(all).not.toContain('zq')
      }
  })
})
