import { afterAll, beforeAll, describe, it } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { REAL_RUNTIME } from '../../src/entry/platform.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import type { LocalGate } from '../../tools/local-gate.ts'
import { type Answer, cookiesOf, send } from '../support/e2e/client.ts'
import { NEXT_TO_NOTHING, startFullGate } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const CURRENT = 'the secret that signs cookies today, long'
const PREVIOUS = 'the secret that signed them yesterday, long'
const IDLE_MS = 60_000
const MAX_AGE_MS = 3_600_000

let origin: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const shared = {
    origin: origin.url,
    verdictHeader: true,
    learner: NEXT_TO_NOTHING,
    session: { idleMs: IDLE_MS, maxAgeMs: MAX_AGE_MS },
  }
  const routes = [
    { ...shared, name: 'blog', match: '/blog/*' },
    {
      ...shared,
      name: 'shop',
      match: '/*',
      classes: [
        { name: 'checkout', value: 100, match: { path: '/checkout/*' } },
        { name: 'search', value: 10, match: { path: '/search' } },
        { name: 'browse', value: 1 },
      ],
    },
  ]
  const secrets = {
    TIDEGATE_SECRET: CURRENT,
    TIDEGATE_SECRET_PREVIOUS: PREVIOUS,
    TIDEGATE_ADMIN_TOKEN: 'an admin token of the tests',
  }
  gate = await startFullGate({ config: { routes }, port: 0, secrets }, '/')
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

interface Written {
  readonly secret?: string
  readonly route?: string
  readonly ageMs?: number
  readonly idleMs?: number
}

/** A session cookie made by the test. */
function cookie({ secret = CURRENT, route = 'shop', ageMs = 0, idleMs = 0 }: Written): string {
  const times = { idleMs: IDLE_MS, maxAgeMs: MAX_AGE_MS }
  const rules = { ...DEFAULTS.session, ...times, cookie: 'tidegate-shop' }
  const signer = new Signer({ current: secret, previous: null })
  const cookies = new SessionCookies(
    { name: route, session: rules, mode: 'enforce' },
    signer,
    REAL_RUNTIME,
  )
  const nowMs = Date.now()
  const session = {
    id: REAL_RUNTIME.id(),
    admittedAs: 'browse',
    issuedAtMs: nowMs - ageMs,
    seenAtMs: nowMs - idleMs,
    isObserved: false,
    server: null,
  }
  return cookies.renew(session, session.seenAtMs, false).split(';', 1)[0]!
}

const ask = (path: string, Cookie?: string): Promise<Answer> =>
  send(`${gate.url}${path}`, Cookie === undefined ? {} : { headers: { Cookie } })

describe('An admitted session, while new ones are refused', () => {
  it('passes in every class of its route, from browsing to checkout', async ({ expect }) => {
    const Cookie = cookie({})
    for (const path of ['/', '/search', '/checkout/pay']) {
      expect((await ask(path)).status, `new, ${path}`).toBe(503)
      const known = await ask(path, Cookie)
      expect(known.status, path).toBe(200)
      expect(known.headers['tidegate-verdict']).toMatch(/^admit; reason=session;/)
    }
  })

  it('passes with 200 requests at once', async ({ expect }) => {
    const Cookie = cookie({})
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('/', Cookie)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  })

  it('passes among other cookies, and after a forged one of the same name', async ({ expect }) => {
    const forged = `${cookie({}).slice(0, -2)}AA`
    expect((await ask('/', `a=1; ${forged}; ${cookie({})}; b=2`)).status).toBe(200)
  })

  it('is renewed while it is used, but not with every answer', async ({ expect }) => {
    const fresh = await ask('/', cookie({}))
    expect(fresh.headers).not.toHaveProperty('set-cookie')
    // An eighth of the idle time has passed, so the next answer renews the cookie.
    const used = await ask('/', cookie({ ageMs: 50_000, idleMs: IDLE_MS / 8 }))
    expect(used.headers['set-cookie']![0]).toMatch(/^tidegate-shop=3\..*; Path=\/; Max-Age=\d+/)
    expect((await ask('/', cookiesOf(used))).status).toBe(200)
  })

  it('with the previous secret still passes', async ({ expect }) => {
    expect((await ask('/', cookie({ secret: PREVIOUS }))).status).toBe(200)
  })
})

describe('Not a session is', () => {
  it('a forged cookie: another signature, another time, another class, no signature', async ({
    expect,
  }) => {
    const [name, value] = cookie({}).split('=') as [string, string]
    const [version, id, issued, seen, admittedAs, signature] = value.split('.')
    const later = (Date.now() + 1000).toString(36)
    for (const forged of [
      [version, id, issued, seen, admittedAs, `${signature!.slice(0, -2)}AA`],
      [version, id, later, later, admittedAs, signature],
      [version, id, issued, seen, 'checkout', signature],
      [version, id, issued, seen, admittedAs],
      [version, id, issued, seen, admittedAs, ''],
      [],
    ]) {
      const answer = await ask('/', `${name}=${forged.join('.')}`)
      expect(answer.status, forged.join('.')).toBe(503)
    }
  })

  it('a cookie signed with an unknown secret', async ({ expect }) => {
    const foreign = cookie({ secret: 'the secret of another site altogether' })
    expect((await ask('/', foreign)).status).toBe(503)
  })

  it("another route's cookie, even under this route's name", async ({ expect }) => {
    expect((await ask('/', cookie({ route: 'blog' }))).status).toBe(503)
  })

  it('a session that was idle too long', async ({ expect }) => {
    expect((await ask('/', cookie({ ageMs: 100_000, idleMs: 50_000 }))).status).toBe(200)
    expect((await ask('/', cookie({ ageMs: 100_000, idleMs: 70_000 }))).status).toBe(503)
  })

  it('a session that is older than its maximum age, however active', async ({ expect }) => {
    expect((await ask('/', cookie({ ageMs: MAX_AGE_MS - 5_000 }))).status).toBe(200)
    expect((await ask('/', cookie({ ageMs: MAX_AGE_MS + 1 }))).status).toBe(503)
  })
})
