import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { type Answer, send } from '../support/e2e/client.ts'
import { NEXT_TO_NOTHING } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let light: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  ;[origin, light] = await Promise.all([ScriptedOrigin.start(), ScriptedOrigin.start()])
  const full = {
    origin: { url: origin.url, name: 'full' },
    verdictHeader: true,
    granularity: 'request',
    learner: NEXT_TO_NOTHING,
    fairness: false,
  }
  const routes = [
    {
      ...full,
      origin: { url: origin.url, name: 'shop' },
      name: 'shop',
      match: '/shop/*',
      learner: { name: 'fixed', limit: 4 },
      whenFull: ['degrade', 'refuse'],
      degrade: { quality: { min: 0.1, switches: ['reviews', 'recommendations'] } },
    },
    {
      ...full,
      name: 'stored',
      origin: { url: origin.url, name: 'stored' },
      match: '/stored/*',
      whenFull: ['degrade', 'refuse'],
      degrade: { stored: true },
    },
    {
      ...full,
      name: 'lighter',
      match: '/lighter/*',
      whenFull: ['degrade', 'refuse'],
      degrade: { lighter: { origin: light.url, path: '/lite/*' } },
    },
    {
      ...full,
      name: 'region',
      match: '/region/*',
      whenFull: 'redirect',
      redirect: { to: 'https://eu.example.com' },
    },
    {
      ...full,
      name: 'spill',
      match: '/spill/*',
      whenFull: ['redirect', 'refuse'],
      redirect: { to: light.url, forward: true },
    },
  ]
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await Promise.all([origin.close(), light.close()])
})

const verdictOf = ({ headers }: Answer): string => String(headers['tidegate-verdict'] ?? '')

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  send(`${gate.url}${path}`, { headers, method })

/** Sends requests until one has this verdict. */
async function until(path: string, verdict: RegExp, headers = {}): Promise<Answer> {
  const giveUpAt = performance.now() + 30_000
  for (;;) {
    const answer = await ask(path, headers)
    if (verdict.test(verdictOf(answer)) || performance.now() > giveUpAt) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('quality', () => {
  it('falls before anybody is refused, and the origin is told', async ({ expect }) => {
    const answers: Answer[] = []
    const giveUpAt = performance.now() + 30_000
    while (performance.now() < giveUpAt) {
      answers.push(await ask('/shop/page'))
      if (verdictOf(answers.at(-1)!).startsWith('degrade')) break
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    expect(answers.at(-1)!.status).toBe(200)
    expect(verdictOf(answers.at(-1)!)).toMatch(/^degrade; reason=quality; route=shop/)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const told = origin.seen('/shop/page').at(-1)!.headers['tidegate-quality']
    expect(told).toMatch(/^0\.\d+;off="reviews( recommendations)?";saved=[\d.]+$/)
  })

  it('of a client’s own header does not reach the origin', async ({ expect }) => {
    await ask('/lighter/plain', { 'Tidegate-Quality': '0.1' })
    const seen = [...origin.seen('/lighter/plain'), ...light.seen('/lite/lighter/plain')]
    expect(seen).toHaveLength(1)
    for (const { headers } of seen) expect(headers).not.toHaveProperty('tidegate-quality')
  })
})

describe('a stored answer', () => {
  const publicPage = (path: string, extra: Record<string, string> = {}): void =>
    origin.on(path, ({ response }) => {
      const text = 'the page'
      response.writeHead(200, {
        'Cache-Control': 'public, max-age=60',
        'Content-Length': text.length,
        ...extra,
      })
      response.end(text)
    })

  it('is given instead of a refusal, with its age and a marker', async ({ expect }) => {
    publicPage('/stored/page')
    const answer = await until('/stored/page', /^(degrade|refuse)/)
    expect(verdictOf(answer)).toMatch(/^degrade; reason=(share|full)/)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('the page')
    expect(answer.headers.age).toMatch(/^\d+$/)
    expect(answer.headers['cache-status']).toBe('tidegate; hit; detail=degraded')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('is not given to a visitor with a cookie, a password or another host, nor to another method', async ({
    expect,
  }) => {
    for (const headers of [
      { Cookie: 'account=ann' },
      { Authorization: 'Basic YTpi' },
      { Host: 'other.example.com' },
    ])
      expect((await ask('/stored/page', headers)).status, JSON.stringify(headers)).toBe(503)
    expect((await ask('/stored/page', {}, 'POST')).status).toBe(503)
    expect((await ask('/stored/page?other=1')).status).toBe(503)
    expect((await ask('/stored/page')).status).toBe(200)
  })
})

describe('a lighter origin', () => {
  it('gets what does not fit, at its own path', async ({ expect }) => {
    const answer = await until('/lighter/a?b=1', /^(degrade|refuse)/)
    expect(verdictOf(answer)).toMatch(/^degrade; reason=(share|full)/)
    expect(answer.text).toBe('GET /lite/lighter/a?b=1')
    expect((await ask('/lighter/a', {}, 'POST')).status).toBe(503)
  })
})

describe('a redirect', () => {
  it('tells the client to go to the other region, with path and query', async ({ expect }) => {
    const answer = await until('/region/a?b=1', /^(redirect|refuse)/)
    expect(verdictOf(answer)).toMatch(/^redirect; reason=(share|full)/)
    expect(answer.status).toBe(307)
    expect(answer.headers.location).toBe('https://eu.example.com/region/a?b=1')
  })

  it('or forwards to it', async ({ expect }) => {
    const answer = await until('/spill/a?b=1', /^(redirect|refuse)/)
    expect(verdictOf(answer)).toMatch(/^redirect;/)
    expect(answer.text).toBe('GET /spill/a?b=1')
    expect(light.seen('/spill/a').length).toBeGreaterThan(0)
  })
})
