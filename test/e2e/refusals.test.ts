import { afterAll, beforeAll, describe, it } from 'vitest'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import type { LocalGate } from '../../tools/local-gate.ts'
import { type Answer, cookiesOf, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { NEXT_TO_NOTHING, startFullGate } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import { routeOf } from '../support/requests.ts'

let origin: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    {
      name: 'api',
      match: '/api/*',
      granularity: 'request',
      refusal: { status: 429, retryMinS: 7, retryMaxS: 7 },
    },
    {
      name: 'own-page',
      match: '/own/*',
      refusal: { page: '<p>Back in {{retryAfter}} s</p>', retryMinS: 9, retryMaxS: 9 },
    },
    { name: 'shop', match: '/*', refusal: { retryMinS: 10, retryMaxS: 14 }, bypass: BYPASS },
  ].map((route) => ({
    ...route,
    origin: origin.url,
    verdictHeader: true,
    whenFull: 'refuse',
    learner: NEXT_TO_NOTHING,
  }))
  gate = await startFullGate({ config: { routes }, port: 0 }, '/shop')
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(`${gate.url}${path}`, { headers })

const signer = (secret: string): Signer => new Signer({ current: secret, previous: null })

/** A retry cookie, as if it had been written some time ago. */
function retryCookie(secret: string, { agoMs, waitS }: { agoMs: number; waitS: number }): string {
  const { session } = routeOf({ name: 'shop' })
  const cookies = new RetryCookies({ name: 'shop', session }, signer(secret))
  return cookies.write(waitS, Date.now() - agoMs, false).split(';', 1)[0]!
}

describe('A refusal', () => {
  it('for a program is 503, problem+json, no-store, Retry-After', async ({ expect }) => {
    const before = origin.seen('/shop/a').length
    const { status, headers, text } = await ask('/shop/a', { Accept: 'application/json' })
    expect(status).toBe(503)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['tidegate-verdict']).toMatch(/^refuse; reason=share;/)
    const problem = JSON.parse(text) as Record<string, unknown>
    expect(problem).toMatchObject({
      type: '/_tidegate/reasons#share',
      status: 503,
      reason: 'share',
    })
    expect(String(problem.retryAfter)).toBe(headers['retry-after'])
    expect(origin.seen('/shop/a').length).toBe(before)
  })

  it('for a browser is a small HTML page without external files', async ({ expect }) => {
    const { status, headers, text } = await ask('/shop/a', { Accept: 'text/html,*/*;q=0.8' })
    expect(status).toBe(503)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
    expect(text).toContain(headers['retry-after'])
    expect(text).not.toContain('{{')
    expect(text).not.toMatch(/\b(src|href)=|url\(|@import|https?:/)
    expect(text.length).toBeLessThan(4096)
  })

  it('of HEAD has the same headers and no body', async ({ expect }) => {
    const answer = await send(`${gate.url}/shop/a`, { method: 'HEAD' })
    expect(answer).toMatchObject({ status: 503, text: '' })
    expect(answer.headers).toHaveProperty('retry-after')
  })

  it('of an upload does not send the body to the origin', async ({ expect }) => {
    const answer = await send(`${gate.url}/shop/up`, { method: 'POST', body: 'x'.repeat(100_000) })
    expect(answer.status).toBe(503)
    expect(origin.seen('/shop/up')).toEqual([])
  })

  it('is 429 and has a custom page if the route is configured so', async ({ expect }) => {
    const api = await ask('/api/a')
    expect(api).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
    expect(api.headers['set-cookie']?.[0]).toMatch(/^tidegate-api-wait=/)
    expect(await ask('/own/a', { Accept: 'text/html' })).toMatchObject({
      text: '<p>Back in 9 s</p>',
      headers: { refresh: '9', 'retry-after': '9', 'cache-control': 'no-store' },
    })
  })

  it('spreads Retry-After from 10 to 14 s, so that visitors do not come back together', async ({
    expect,
  }) => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/shop/a')))
    const seen = new Set(answers.map(({ headers }) => Number(headers['retry-after'])))
    // Each of the 5 values is missing in 40 draws with probability 0.8^40 = 0.0001.
    expect([...seen].sort()).toEqual([10, 11, 12, 13, 14])
  })
})

describe('A refused visitor', () => {
  it('who retries early is refused without a draw, for the rest of the time', async ({
    expect,
  }) => {
    await expect
      .poll(async () => (await countsOf(gate, 'shop'))?.offered, WHEN_REPORTED)
      .toBeGreaterThan(40)
    const before = (await countsOf(gate, 'shop'))!
    const first = await ask('/shop/b')
    const told = Number(first.headers['retry-after'])
    const Cookie = cookiesOf(first)
    expect(Cookie).toMatch(/^tidegate-shop-wait=/)
    expect(first.headers['set-cookie']![0]).toMatch(/; HttpOnly; SameSite=Lax$/)
    for (let i = 0; i < 5; i++) {
      const again = await ask('/shop/b', { Cookie })
      expect(again.status).toBe(503)
      expect(again.headers['tidegate-verdict']).toMatch(/^refuse; reason=early;/)
      expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(told)
      expect(again.headers).not.toHaveProperty('set-cookie')
    }
    await expect
      .poll(() => countsOf(gate, 'shop'), WHEN_REPORTED)
      .toMatchObject({ offered: before.offered + 1, early: before.early + 5 })
  })

  it('who retries after that time draws again', async ({ expect }) => {
    const Cookie = retryCookie(gate.secrets.TIDEGATE_SECRET!, { agoMs: 11_000, waitS: 10 })
    const again = await ask('/shop/b', { Cookie })
    expect(again.headers['tidegate-verdict']).toMatch(/^refuse; reason=share;/)
  })

  it('with a forged retry cookie draws as usual', async ({ expect }) => {
    const Cookie = retryCookie('a secret that this gate does not have', { agoMs: 0, waitS: 10 })
    const again = await ask('/shop/b', { Cookie })
    expect(again.headers['tidegate-verdict']).toMatch(/^refuse; reason=share;/)
  })
})
