import { describe, it } from 'vitest'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { cookieOf, OLDER_SECRET, SECRET } from '../support/requests.ts'

/** Not a whole second. */
const NOW = 1_800_000_000_400

const signer = new Signer({ current: SECRET, previous: OLDER_SECRET })
const isolate = (route = 'shop', by: Signer = signer): RetryCookies =>
  new RetryCookies(route, 'gate', by)
const written = (by?: Signer): string => cookieOf(isolate('shop', by).write(10, NOW, true))

describe('a retry cookie', () => {
  it('gives another isolate the remaining time: 10 s', ({ expect }) => {
    expect(isolate().waitS(written(), NOW)).toBe(10)
    expect(isolate().waitS(written(), NOW + 4_000)).toBe(6)
    expect(isolate().waitS(written(), NOW + 9_000)).toBe(1)
  })

  it('allows a draw after that time', ({ expect }) => {
    expect(isolate().waitS(written(), NOW + 10_000)).toBe(0)
    expect(isolate().waitS(written(), NOW + 3_600_000)).toBe(0)
  })

  it('never gives a longer wait than the first, nor a fraction', ({ expect }) => {
    for (let ms = 0; ms < 10_000; ms += 37) {
      const left = isolate().waitS(written(), NOW + ms)
      expect(Number.isInteger(left) && left * 1000 <= 10_000 - ms + 1000).toBe(true)
    }
  })

  it('is ignored if it is missing, forged, or of another route', ({ expect }) => {
    const [name, value] = written().split('=') as [string, string]
    const [text, signature] = value.split('.') as [string, string]
    expect(isolate().waitS(null, NOW)).toBe(0)
    expect(isolate().waitS('a=b', NOW)).toBe(0)
    for (const forged of ['', '.', 'zzz', `${text}.`, `zzzzzz.${signature}`, `${value}A`])
      expect(isolate().waitS(`${name}=${forged}`, NOW), forged).toBe(0)
    expect(isolate('api').waitS(written(), NOW)).toBe(0)
    const stranger = new Signer({ current: 'a key that was never one of ours', previous: null })
    expect(isolate().waitS(written(stranger), NOW)).toBe(0)
  })

  it('of the previous secret is still valid', ({ expect }) => {
    const before = new Signer({ current: OLDER_SECRET, previous: null })
    expect(isolate().waitS(written(before), NOW)).toBe(10)
  })

  it('expires with the wait, and has another name than the session cookie', ({ expect }) => {
    const attributes = '; Path=/; Max-Age=10; HttpOnly; SameSite=Lax'
    expect(isolate().write(10, NOW, false)).toMatch(/^gate-wait=/)
    expect(isolate().write(10, NOW, false).endsWith(attributes)).toBe(true)
    expect(isolate().write(10, NOW, true).endsWith(`${attributes}; Secure`)).toBe(true)
  })

  it('is not a session cookie, and a session cookie is not a retry cookie', ({ expect }) => {
    const rules = { idleMs: 80_000, maxAgeMs: 600_000, cookie: 'gate' }
    const sessions = new SessionCookies('shop', rules, signer, new FakeRuntime())
    const session = cookieOf(sessions.begin('a', NOW, true))
    expect(sessions.read(written().replace('gate-wait=', 'gate='), NOW)).toBeNull()
    expect(isolate().waitS(session.replace('gate=', 'gate-wait='), NOW)).toBe(0)
  })
})
