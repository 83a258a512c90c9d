import { describe, it } from 'vitest'
import { REAL_RUNTIME } from '../../src/entry/platform.ts'
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
const isolate = (signer: Signer = signerOf(), name = 'shop', keys: object = {}): SessionCookies =>
  new SessionCookies({ name, session: RULES, mode: 'enforce', ...keys }, signer, RUNTIME)

const begun = (signer?: Signer, admittedAs = 'buyers'): string =>
  cookieOf(isolate(signer).begin(admittedAs, NOW, true))

describe('a session cookie', () => {
  it('has the time and class of the admission, for any isolate', ({ expect }) => {
    expect(isolate().read(begun(), NOW + 1, true)).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      admittedAs: 'buyers',
      issuedAtMs: NOW,
      seenAtMs: NOW,
      isObserved: false,
      server: null,
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
      expect(isolate().read(begun(undefined, name), NOW, true)?.admittedAs, name).toBe(name)
  })

  it('is unique per session, also for sessions of the same millisecond and class', ({ expect }) => {
    const cookies = isolate()
    const all = Array.from({ length: 1000 }, () => cookieOf(cookies.begin('a', NOW, true)))
    const ids = all.map((cookie) => isolate().read(cookie, NOW, true)!.id)
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
    isolate(signer, route).read(header, NOW, true) === null

  it('is missing, empty, or invented', ({ expect }) => {
    expect(isolate().read(null, NOW, true)).toBeNull()
    for (const value of ['', '3', '3.', '3.......', `3.e.i.a.b.c.${'A'.repeat(22)}`, '%', 'null'])
      expect(refuses(`__Host-gate=${value}`), value).toBe(true)
  })

  it('was changed in any part, or in any character', ({ expect }) => {
    const cookie = begun()
    expect(refuses(cookie)).toBe(false)
    const parts = cookie.slice('__Host-gate='.length).split('.')
    for (const [i, part] of parts.entries()) {
      const other = parts.with(i, part === '3' ? '1' : 'zz')
      expect(refuses(`__Host-gate=${other.join('.')}`), `part ${i}`).toBe(true)
    }
    for (let i = '__Host-gate='.length; i < cookie.length; i++) {
      const other = `${cookie.slice(0, i)}${cookie[i] === 'x' ? 'y' : 'x'}${cookie.slice(i + 1)}`
      expect(refuses(other), `character ${i}`).toBe(true)
    }
    expect(refuses(cookie.slice(0, -1))).toBe(true)
    expect(refuses(`${cookie}A`)).toBe(true)
  })

  it('was changed, even if the isolate knows the true one', ({ expect }) => {
    const cookies = isolate()
    const cookie = begun()
    expect(cookies.read(cookie, NOW, true)).not.toBeNull()
    expect(cookies.read(cookie.replace('buyers', 'admins'), NOW, true)).toBeNull()
    expect(cookies.read(cookie, NOW, true)).not.toBeNull()
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
    expect(refuses(`__Host-gate=3.${'a'.repeat(100_000)}.b`, signer)).toBe(true)
    expect(signer.count).toBe(0)
  })

  it('was idle for too long: 80 s, and the eighth that a cookie may be older', ({ expect }) => {
    expect(isolate().read(begun(), NOW + 89_999, true)).not.toBeNull()
    expect(isolate().read(begun(), NOW + 90_000, true)).toBeNull()
  })

  it('is older than allowed, however often it was renewed', ({ expect }) => {
    const cookies = isolate()
    let session = cookies.read(begun(), NOW, true)!
    for (let ms = 0; ms < 599_000; ms += 60_000)
      session = cookies.read(cookieOf(cookies.renew(session, NOW + ms, true)), NOW + ms, true)!
    const last = cookieOf(cookies.renew(session, NOW + 599_000, true))
    expect(isolate().read(last, NOW + 599_999, true)).toMatchObject({ issuedAtMs: NOW })
    expect(isolate().read(last, NOW + 600_000, true)).toBeNull()
  })

  it('is known to this isolate, but expired', ({ expect }) => {
    const cookies = isolate()
    const cookie = cookieOf(cookies.begin('a', NOW, true))
    expect(cookies.read(cookie, NOW, true)).not.toBeNull()
    expect(cookies.read(cookie, NOW + 90_000, true)).toBeNull()
  })
})

describe('a session cookie of the previous key', () => {
  it('is still valid, and is renewed with the newest key', ({ expect }) => {
    const rotated = isolate(signerOf(SECRET, OLDER_SECRET))
    const session = rotated.read(begun(signerOf(OLDER_SECRET)), NOW, true)
    expect(session).toMatchObject({ admittedAs: 'buyers' })
    const renewed = cookieOf(rotated.renew(session!, NOW + 10_000, true))
    expect(isolate(signerOf(SECRET)).read(renewed, NOW + 10_000, true)).toMatchObject({
      issuedAtMs: NOW,
    })
  })
})

describe('several cookies with the same name', () => {
  /** They look like session cookies, but their signature is wrong. */
  const junk = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, i) => `${begun(signerOf('a key that was never one of ours'), `junk-${i}`)}`,
    )

  it('do not hide the valid one: 20 junk cookies before it, behind it or around it', ({
    expect,
  }) => {
    const good = begun()
    for (const at of [0, 1, 10, 19, 20]) {
      const header = junk(20).toSpliced(at, 0, good).join('; ')
      expect(isolate().read(header, NOW, true)?.admittedAs, `${at}`).toBe('buyers')
    }
  })

  it('do not hide it if they are cheap to tell apart, however many there are', ({ expect }) => {
    const cheap = Array.from({ length: 500 }, (_, i) => `__Host-gate=3.e.i.a.b.${i}`).join('; ')
    const signer = signerOf()
    expect(isolate(signer).read(`${begun()}; ${cheap}`, NOW, true)).not.toBeNull()
    expect(signer.count).toBe(1)
  })

  it('may have a valid session after an expired one', ({ expect }) => {
    const young = cookieOf(isolate().begin('young', NOW + 300_000, true))
    expect(isolate().read(`${begun()}; ${young}`, NOW + 300_000, true)?.admittedAs).toBe('young')
    expect(isolate().read(`${young}; ${begun()}`, NOW + 300_000, true)?.admittedAs).toBe('young')
  })

  it('cost at most 32 HMACs', ({ expect }) => {
    const signer = signerOf()
    expect(isolate(signer).read(junk(100).join('; '), NOW, true)).toBeNull()
    expect(signer.count).toBe(32)
  })
})

describe('two Cookie headers', () => {
  it('work: the runtime joins them with a comma', ({ expect }) => {
    for (const header of [`a=b, ${begun()}`, `${begun()}, a=b`, `a=b, ${begun()}, c=d; e=f`])
      expect(isolate().read(header, NOW, true), header).not.toBeNull()
  })
})

describe('the name of a session cookie', () => {
  it('has the prefix __Host- on https, and not on http', ({ expect }) => {
    expect(isolate().begin('a', NOW, true)).toMatch(/^__Host-gate=/)
    expect(isolate().begin('a', NOW, false)).toMatch(/^gate=/)
  })

  it('has it once if the configuration has it too', ({ expect }) => {
    for (const cookie of ['__Host-gate', '__Secure-gate']) {
      const cookies = isolate(signerOf(), 'shop', { session: { ...RULES, cookie } })
      expect(cookies.begin('a', NOW, true).startsWith(`${cookie}=`)).toBe(true)
    }
  })

  it('without it is ignored on https, where another host of the domain may have planted it', ({
    expect,
  }) => {
    const planted = cookieOf(isolate().begin('a', NOW, false))
    expect(isolate().read(planted, NOW, false)).not.toBeNull()
    expect(isolate().read(planted, NOW, true)).toBeNull()
  })
})

describe('SameSite', () => {
  const attribute = (sameSite: string, secure: boolean) =>
    /SameSite=\w+/.exec(
      isolate(signerOf(), 'shop', { session: { ...RULES, sameSite } }).begin('a', NOW, secure),
    )![0]

  it('is as configured; None needs https', ({ expect }) => {
    expect(attribute('lax', true)).toBe('SameSite=Lax')
    expect(attribute('strict', true)).toBe('SameSite=Strict')
    expect(attribute('none', true)).toBe('SameSite=None')
    expect(attribute('none', false)).toBe('SameSite=Lax')
  })
})

describe('a session that began in observe', () => {
  const modes = (mode: string, keepObserved = false) =>
    isolate(signerOf(), 'shop', { mode, session: { ...RULES, keepObserved } })
  const observed = cookieOf(modes('observe').begin('a', NOW, true))

  it('is a session in observe, and none in enforce', ({ expect }) => {
    expect(modes('observe').read(observed, NOW, true)).toMatchObject({ isObserved: true })
    expect(modes('enforce').read(observed, NOW, true)).toBeNull()
  })

  it('keeps its mark when it is renewed', ({ expect }) => {
    const session = modes('observe').read(observed, NOW, true)!
    const renewed = cookieOf(modes('observe').renew(session, NOW + 1000, true))
    expect(modes('enforce').read(renewed, NOW + 1000, true)).toBeNull()
  })

  it('is one in enforce if the route says so', ({ expect }) => {
    expect(modes('enforce', true).read(observed, NOW, true)).not.toBeNull()
  })

  it('does not hide an admitted one', ({ expect }) => {
    const header = `${observed}; ${begun()}; ${observed}`
    expect(modes('enforce').read(header, NOW, true)).toMatchObject({ isObserved: false })
  })
})

describe('renewing a session', () => {
  it('is due after an eighth of the idle time, not with every answer', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW, true)!
    expect(cookies.isDueForRenewal(session, NOW + 9_999)).toBe(false)
    expect(cookies.isDueForRenewal(session, NOW + 10_000)).toBe(true)
  })

  it('restarts the idle time and keeps the rest', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW, true)!
    const renewed = cookies.renew(session, NOW + 50_000, true)
    expect(isolate().read(cookieOf(renewed), NOW + 139_999, true)).toEqual({
      ...session,
      seenAtMs: NOW + 50_000,
    })
  })

  it('never gives a cookie a longer life than the session may have', ({ expect }) => {
    const cookies = isolate()
    const session = cookies.read(begun(), NOW, true)!
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
    for (let i = 0; i < 1000; i++) expect(cookies.read(cookie, NOW + i, true)).not.toBeNull()
    expect(signer.count).toBe(1)
  })

  it('is one HMAC even if the isolate has written the cookie itself, because most visitors of a surge send one request', ({
    expect,
  }) => {
    const signer = signerOf()
    const cookies = isolate(signer)
    const cookie = cookieOf(cookies.begin('a', NOW, true))
    for (let i = 0; i < 1000; i++) expect(cookies.read(cookie, NOW + i, true)).not.toBeNull()
    expect(signer.count).toBe(2)
  })
})
