import { describe, it } from 'vitest'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { cookieOf, OLDER_SECRET, SECRET } from '../support/requests.ts'

const RULES = {
  idleMs: 80_000,
  maxAgeMs: 600_000,
  cookie: 'gate',
  sameSite: 'lax',
  keepObserved: false,
  maxRate: 20,
  maxRangeRate: 0,
} as const
/** Not a whole second. */
const NOW = 1_800_000_000_400

const signer = new Signer({ current: SECRET, previous: OLDER_SECRET })
const isolate = (route = 'shop', by: Signer = signer): RetryCookies =>
  new RetryCookies({ name: route, session: RULES }, by)
const written = (by?: Signer): string => cookieOf(isolate('shop', by).write(10, NOW, true))

describe('a retry cookie', () => {
  it('gives another isolate the remaining time: 10 s', ({ expect }) => {
    expect(isolate().waitS(written(), NOW, true)).toBe(10)
    expect(isolate().waitS(written(), NOW + 4_000, true)).toBe(6)
    expect(isolate().waitS(written(), NOW + 9_000, true)).toBe(1)
  })

  it('allows a draw after that time', ({ expect }) => {
    expect(isolate().waitS(written(), NOW + 10_000, true)).toBe(0)
    expect(isolate().waitS(written(), NOW + 3_600_000, true)).toBe(0)
  })

  it('never gives a longer wait than the first, nor a fraction', ({ expect }) => {
    for (let ms = 0; ms < 10_000; ms += 37) {
      const left = isolate().waitS(written(), NOW + ms, true)
      expect(Number.isInteger(left) && left * 1000 <= 10_000 - ms + 1000).toBe(true)
    }
  })

  it('is ignored if it is missing, forged, or of another route', ({ expect }) => {
    const [name, value] = written().split('=') as [string, string]
    const [text, signature] = value.split('.') as [string, string]
    expect(isolate().waitS(null, NOW, true)).toBe(0)
    expect(isolate().waitS('a=b', NOW, true)).toBe(0)
    for (const forged of ['', '.', 'zzz', `${text}.`, `zzzzzz.${signature}`, `${value}A`])
      expect(isolate().waitS(`${name}=${forged}`, NOW, true), forged).toBe(0)
    expect(isolate('api').waitS(written(), NOW, true)).toBe(0)
    const stranger = new Signer({ current: 'a key that was never one of ours', previous: null })
    expect(isolate().waitS(written(stranger), NOW, true)).toBe(0)
  })

  it('of the previous secret is still valid', ({ expect }) => {
    const before = new Signer({ current: OLDER_SECRET, previous: null })
    expect(isolate().waitS(written(before), NOW, true)).toBe(10)
  })

  it('expires with the wait, and has another name than the session cookie', ({ expect }) => {
    const attributes = '; Path=/; Max-Age=10; HttpOnly; SameSite=Lax'
    expect(isolate().write(10, NOW, false)).toMatch(/^gate-wait=/)
    expect(isolate().write(10, NOW, true)).toMatch(/^__Host-gate-wait=/)
    expect(isolate().write(10, NOW, false).endsWith(attributes)).toBe(true)
    expect(isolate().write(10, NOW, true).endsWith(`${attributes}; Secure`)).toBe(true)
  })

  it('is not a session cookie, and a session cookie is not a retry cookie', ({ expect }) => {
    const route = { name: 'shop', session: RULES, mode: 'enforce' } as const
    const sessions = new SessionCookies(route, signer, new FakeRuntime())
    const session = cookieOf(sessions.begin('a', NOW, true))
    expect(
      sessions.read(written().replace('__Host-gate-wait=', '__Host-gate='), NOW, true),
    ).toBeNull()
    expect(isolate().waitS(session.replace('__Host-gate=', '__Host-gate-wait='), NOW, true)).toBe(0)
  })

  it('is not hidden by 20 junk cookies of the same name', ({ expect }) => {
    const stranger = new Signer({ current: 'a key that was never one of ours', previous: null })
    const junk = Array.from({ length: 20 }, (_, i) =>
      cookieOf(isolate('shop', stranger).write(100 + i, NOW, true)),
    )
    for (const at of [0, 10, 20])
      expect(isolate().waitS(junk.toSpliced(at, 0, written()).join('; '), NOW, true)).toBe(10)
  })

  it('costs no HMAC when its time is over', ({ expect }) => {
    let verified = 0
    class Counting extends Signer {
      override verify(purpose: string, text: string, signature: string): boolean {
        verified++
        return super.verify(purpose, text, signature)
      }
    }
    const cookies = isolate('shop', new Counting({ current: SECRET, previous: null }))
    expect(cookies.waitS(written(), NOW + 10_000, true)).toBe(0)
    expect(verified).toBe(0)
    expect(cookies.waitS(written(), NOW, true)).toBe(10)
    expect(verified).toBe(1)
  })
})
