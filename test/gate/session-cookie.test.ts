import { describe, it } from 'vitest'
import { REAL_RUNTIME } from '../../src/entry/platform.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { cookieOf, OLDER_SECRET, SECRET } from '../support/requests.ts'

const RULES = { idleMs: 80_000, maxAgeMs: 600_000, cookie: 'gate' }
const NOW = 1_800_000_000_000
const RUNTIME = new FakeRuntime(NOW)

/** Counts the HMACs that it computes. */
class CountingSigner extends Signer {
  count = 0

  override sign(purpose: string, text: string): string {
    this.count++
    return super.sign(purpose, text)
  }

  override verify(purpose: string, text: string, signature: string): boolean {
    this.count++
    return super.verify(purpose, text, signature)
  }
}

const signerOf = (current = SECRET, previous: string | null = null): CountingSigner =>
  new CountingSigner({ current, previous })

/** Each time another isolate, with its own cache of verified cookies. */
const isolate = (signer: Signer = signerOf(), route = 'shop'): SessionCookies =>
  new SessionCookies(route, RULES, signer, RUNTIME)

const begun = (signer?: Signer, admittedAs = 'buyers'): string =>
  cookieOf(isolate(signer).begin(admittedAs, NOW, true))

describe('a session cookie', () => {
  it('has the time and class of the admission, for any isolate', ({ expect }) => {
    expect(isolate().read(begun(), NOW + 1)).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      admittedAs: 'buyers',
      issuedAtMs: NOW,
      seenAtMs: NOW,
    })
  })

  it('is for the whole host, hidden from scripts, and lives as long as the session', ({
    expect,
  }) => {
    // Idle time and an eighth of it: 80 s + 10 s.
    const attributes = '; Path=/; Max-Age=90; HttpOnly; SameSite=Lax'
    expect(isolate().begin('buyers', NOW, false).endsWith(attributes)).toBe(true)
    expect(isolate().begin('buyers', NOW, true).endsWith(`${attributes}; Secure`)).toBe(true)
  })

  it('keeps class names with special characters', ({ expect }) => {
    for (const name of ['a.b', '..', 'x=y;z', 'sp ace', 'ünï', '%2E', 'a'.repeat(64)])
      expect(isolate().read(begun(undefined, name), NOW)?.admittedAs, name).toBe(name)
  })

  it('is unique per session, also for sessions of the same millisecond and class', ({ expect }) => {
    const cookies = isolate()
    const all = Array.from({ length: 1000 }, () => cookieOf(cookies.begin('a', NOW, true)))
    const ids = all.map((cookie) => isolate().read(cookie, NOW)!.id)
    expect(new Set(ids).size).toBe(1000)
  })

  it('has an id of at least 96 random bits', ({ expect }) => {
    const ids = Array.from({ length: 1000 }, () => REAL_RUNTIME.id())
    expect(new Set(ids).size).toBe(1000)
    // 12 bytes are 16 characters of base64.
    for (const id of ids) expect(id).toMatch(/^[\w-]{16,}$/)
  })
})

describe('an ignored session cookie', () => {
  const refuses = (header: string, signer?: Signer, route?: string): boolean =>
    isolate(signer, route).read(header, NOW) === null

  it('is missing, empty, or invented', ({ expect }) => {
    expect(isolate().read(null, NOW)).toBeNull()
    for (const value of ['', '2', '2.', '2......', `2.i.a.b.c.d.${'A'.repeat(22)}`, '%', 'null'])
      expect(refuses(`gate=${value}`), value).toBe(true)
  })

  it('was changed in any part, or in any character', ({ expect }) => {
    const cookie = begun()
    expect(refuses(cookie)).toBe(false)
    const parts = cookie.slice('gate='.length).split('.')
    for (const [i, part] of parts.entries()) {
      const other = parts.with(i, part === '2' ? '1' : 'zz')
      expect(refuses(`gate=${other.join('.')}`), `part ${i}`).toBe(true)
    }
    for (let i = 'gate='.length; i < cookie.length; i++) {
      const other = `${cookie.slice(0, i)}${cookie[i] === 'x' ? 'y' : 'x'}${cookie.slice(i + 1)}`
      expect(refuses(other), `character ${i}`).toBe(true)
    }
    expect(refuses(cookie.slice(0, -1))).toBe(true)
    expect(refuses(`${cookie}A`)).toBe(true)
  })

  it('was changed, even if the isolate knows the true one', ({ expect }) => {
    const cookies = isolate()
    const cookie = begun()
    expect(cookies.read(cookie, NOW)).not.toBeNull()
    expect(cookies.read(cookie.replace('buyers', 'admins'), NOW)).toBeNull()
    expect(cookies.read(cookie, NOW)).not.toBeNull()
  })

  it('is of another route', ({ expect }) => {
    expect(refuses(begun(), undefined, 'api')).toBe(true)
  })

  it('is signed with a key that is no longer known', ({ expect }) => {
    expect(refuses(begun(signerOf('a key that was never one of ours')))).toBe(true)
    expect(refuses(begun(signerOf(OLDER_SECRET)), signerOf(SECRET, null))).toBe(true)
  })

  it('is too long, and costs no HMAC', ({ expect }) => {
    const signer = signerOf()
    expect(refuses(`gate=1.${'a'.repeat(100_000)}.b`, signer)).toBe(true)
    expect(signer.count).toBe(0)
  })

  it('was idle for too long: 80 s, and the eighth that a cookie may be older', ({ expect }) => {
    expect(isolate().read(begun(), NOW + 89_999)).not.toBeNull()
    expect(isolate().read(begun(), NOW + 90_000)).toBeNull()
  })

  it('is older than allowed, however often it was renewed', ({ expect }) => {
    const cookies = isolate()
    let session = cookies.read(begun(), NOW)!
    for (let ms = 0; ms < 599_000; ms += 60_000)
      session = cookies.read(cookieOf(cookies.renew(session, NOW + ms, true)), NOW + ms)!
    const last = cookieOf(cookies.renew(session, NOW + 599_000, true))
    expect(isolate().read(last, NOW + 599_999)).toMatchObject({ issuedAtMs: NOW })
    expect(isolate().read(last, NOW + 600_000)).toBeNull()
  })

  it('is known to this isolate, but expired', ({ expect }) => {
    const cookies = isolate()
    const cookie = cookieOf(cookies.begin('a', NOW, true))
    expect(cookies.read(cookie, NOW)).not.toBeNull()
    expect(cookies.read(cookie, NOW + 90_000)).toBeNull()
  })
})

describe('a session cookie of the previous key', () => {
  it('is still valid, and is renewed with the newest key', ({ expect }) => {
    const rotated = isolate(signerOf(SECRET, OLDER_SECRET))
    const session = rotated.read(begun(signerOf(OLDER_SECRET)), NOW)
    expect(session).toMatchObject({ admittedAs: 'buyers' })
    const renewed = cookieOf(rotated.renew(session!, NOW + 10_000, true))
    expect(isolate(signerOf(SECRET)).read(renewed, NOW + 10_000)).toMatchObject({ issuedAtMs: NOW })
  })
})

describe('several cookies with the same name', () => {
  it('are searched for the valid one, at any place among four', ({ expect }) => {
    const good = begun()
    for (const header of [
      `${good}; gate=forged`,
      `gate=forged; ${good}`,
      `gate=1.a.b.c.d.e; gate=; gate=forged; ${good}`,
    ])
      expect(isolate().read(header, NOW), header).not.toBeNull()
  })

  it('may have a valid session after an expired one', ({ expect }) => {
    const young = cookieOf(isolate().begin('young', NOW + 300_000, true))
    expect(isolate().read(`${begun()}; ${young}`, NOW + 300_000)?.admittedAs).toBe('young')
  })

  it('cost at most four HMACs', ({ expect }) => {
    const signer = signerOf()
    const header = Array.from({ length: 100 }, (_, i) => `gate=2.a.b.${i}.d.e`).join('; ')
    expect(isolate(signer).read(header, NOW)).toBeNull()
    expect(signer.count).toBe(4)
  })
})

describe('renewing a session', () => {
  it('is due after an eighth of the idle time, not with every answer', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW)!
    expect(cookies.isDueForRenewal(session, NOW + 9_999)).toBe(false)
    expect(cookies.isDueForRenewal(session, NOW + 10_000)).toBe(true)
  })

  it('restarts the idle time and keeps the rest', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW)!
    const renewed = cookies.renew(session, NOW + 50_000, true)
    expect(isolate().read(cookieOf(renewed), NOW + 139_999)).toEqual({
      ...session,
      seenAtMs: NOW + 50_000,
    })
  })

  it('never gives a cookie a longer life than the session may have', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW)!
    expect(cookies.renew(session, NOW + 570_000, true)).toContain('; Max-Age=30;')
  })
})

describe('the cost of a new session', () => {
  it('is one HMAC', ({ expect }) => {
    const signer = signerOf()
    const cookies = isolate(signer)
    for (let i = 0; i < 100; i++) cookies.begin('a', NOW, true)
    expect(signer.count).toBe(100)
  })
})

describe('the cost of a known session', () => {
  it('is one HMAC when an isolate first sees it, and none afterwards', ({ expect }) => {
    const signer = signerOf()
    const cookies = isolate(signer)
    const cookie = begun()
    for (let i = 0; i < 1000; i++) expect(cookies.read(cookie, NOW + i)).not.toBeNull()
    expect(signer.count).toBe(1)
  })

  it('is one HMAC even if the isolate has written the cookie itself, because most visitors of a surge send one request', ({
    expect,
  }) => {
    const signer = signerOf()
    const cookies = isolate(signer)
    const cookie = cookieOf(cookies.begin('a', NOW, true))
    for (let i = 0; i < 1000; i++) expect(cookies.read(cookie, NOW + i)).not.toBeNull()
    expect(signer.count).toBe(2)
  })
})
