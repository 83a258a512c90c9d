import { env, SELF } from 'cloudflare:test'
import { describe, it } from 'vitest'

const BASE = 'https://gate.example.com'
const V1 = `${BASE}/_tidegate/api/v1`
const CSRF = { 'Tidegate-Csrf': '1' }

const signIn = (token: string, headers: Record<string, string> = CSRF, name = 'Ada') =>
  SELF.fetch(`${V1}/sign-in`, { method: 'POST', headers, body: JSON.stringify({ token, name }) })

async function cookieOf(token = env.TIDEGATE_ADMIN_TOKEN): Promise<string> {
  return (await signIn(token)).headers.get('Set-Cookie')!.split(';')[0]!
}

const observe = (headers: Record<string, string>) =>
  SELF.fetch(`${V1}/routes/quiet/actions`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ action: 'mode', mode: 'observe' }),
  })

describe('signing in', () => {
  it('gives a cookie that scripts and other sites cannot use', async ({ expect }) => {
    const response = await signIn(env.TIDEGATE_ADMIN_TOKEN)
    expect(response.status).toBe(204)
    const cookie = response.headers.get('Set-Cookie')!
    expect(cookie).toMatch(
      /^__Secure-tidegate-admin=\S+; Path=\/_tidegate\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(cookie).not.toContain(env.TIDEGATE_ADMIN_TOKEN)
    const me = await SELF.fetch(`${V1}/me`, { headers: { Cookie: await cookieOf() } })
    expect(await me.json()).toEqual({ role: 'write', by: 'Ada', via: 'cookie' })
  })

  it('is refused with a wrong token, from another site, and without the header', async ({
    expect,
  }) => {
    for (const token of ['', 'wrong', env.TIDEGATE_SECRET])
      expect((await signIn(token)).status).toBe(401)
    expect((await signIn(env.TIDEGATE_ADMIN_TOKEN, {})).status).toBe(403)
    const foreign = { ...CSRF, Origin: 'https://evil.example' }
    expect((await signIn(env.TIDEGATE_ADMIN_TOKEN, foreign)).status).toBe(403)
  })

  it('with the read-only token allows to read only', async ({ expect }) => {
    const Cookie = await cookieOf(env.TIDEGATE_ADMIN_READ_TOKEN)
    expect((await SELF.fetch(`${V1}/routes`, { headers: { Cookie } })).status).toBe(200)
    expect((await observe({ Cookie, ...CSRF })).status).toBe(403)
  })

  it('ends with signing out', async ({ expect }) => {
    const response = await SELF.fetch(`${V1}/sign-out`, { method: 'POST', headers: CSRF })
    expect(response.headers.get('Set-Cookie')).toMatch(/tidegate-admin=; .*Max-Age=0/)
  })
})

describe('the cookie of an operator', () => {
  it('changes things only from our own page', async ({ expect }) => {
    const Cookie = await cookieOf()
    expect((await observe({ Cookie })).status).toBe(403)
    for (const foreign of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ])
      expect((await observe({ Cookie, ...CSRF, ...foreign })).status).toBe(403)
    const own = { Origin: BASE, 'Sec-Fetch-Site': 'same-origin' }
    expect((await observe({ Cookie, ...CSRF, ...own })).status).toBe(201)
  })

  it('opens no WebSocket from another site', async ({ expect }) => {
    const headers = { Cookie: await cookieOf(), Upgrade: 'websocket' }
    const live = (more: object) =>
      SELF.fetch(`${V1}/routes/quiet/live`, { headers: { ...headers, ...more } })
    expect((await live({ Origin: 'https://evil.example' })).status).toBe(403)
    const { status, webSocket } = await live({ Origin: BASE })
    expect(status).toBe(101)
    webSocket!.accept()
    webSocket!.close()
  })

  it('cannot be forged, changed or used over http', async ({ expect }) => {
    const cookie = await cookieOf(env.TIDEGATE_ADMIN_READ_TOKEN)
    const [name, value] = cookie.split('=') as [string, string]
    const [, until, by, signature] = value.split('.')
    const forged = [
      ...['', 'x', 'write', 'write.zzzzzzzzz.Eve.x', `write.${until}.${by}.${signature}`],
      ...[`read.zzzzzzzzz.${by}.${signature}`, `read.${until}.Eve.${signature}`, `${value}x`],
    ]
    for (const one of forged) {
      const response = await SELF.fetch(`${V1}/me`, { headers: { Cookie: `${name}=${one}` } })
      expect(response.status, one).toBe(401)
    }
    const overHttp = await SELF.fetch(`${V1.replace('https', 'http')}/me`, {
      headers: { Cookie: cookie },
    })
    expect(overHttp.status).toBe(401)
  })
})
