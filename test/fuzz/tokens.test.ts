import fc from 'fast-check'
import { describe, it } from 'vitest'
import { AccessVerifier } from '../../src/admin/auth/access-jwt.ts'
import { AdminCookie } from '../../src/admin/auth/admin-cookie.ts'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { TicketCookies } from '../../src/gate/waiting/ticket-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import { type Pass, readPass, signPass } from '../../src/request/pass-token.ts'
import { FakeRuntime, START_MS } from '../support/fakes.ts'
import { alteration, altered, fuzz, textOf } from '../support/fuzz.ts'
import { cookieOf, routeOf, SECRET } from '../support/requests.ts'

const signer = new Signer({ current: SECRET, previous: null })
const route = routeOf({ whenFull: 'queue' })
const NOW = START_MS
const TICKET = {
  ...{ id: 'abcdefghijklmnop', className: 'default', keyS: 12.5, seenMs: NOW, nextMs: NOW + 5000 },
  ...{ slot: 7, place: 3, placedMs: NOW, promisedFromMs: NOW, promisedToMs: NOW + 60_000 },
}

const PIECES = [
  '.',
  '..',
  '1',
  '3',
  'e',
  'o',
  'zzzzzzzzzzz',
  '%',
  '%E0',
  '%2E',
  '=',
  ';',
  ',',
  ' ',
  '-',
]

/** A header with the altered value among junk of the same name. */
const headerWith = (name: string, values: readonly string[]): string =>
  values.map((value) => `${name}=${value}`).join('; ')

describe('a session cookie that is not signed', () => {
  it('is no session, whatever its form', async ({ expect }) => {
    const cookies = new SessionCookies(route, signer, new FakeRuntime())
    const [name, good] = cookieOf(cookies.begin('default', NOW, true)).split('=') as [
      string,
      string,
    ]
    const other = cookieOf(cookies.begin('other', NOW - 1000, true)).split('=')[1]!
    const read = (values: readonly string[]) =>
      cookies.read(headerWith(name, values), NOW + 1, true)
    await fuzz('session', fc.tuple(alteration, textOf(...PIECES)), ([[how, at, letter], junk]) => {
      const changed = altered(good, how, at, letter, other)
      const cut = (text: string): boolean => text.split(/[;,]/).some((part) => part.trim() === good)
      if (!cut(changed) && !cut(junk)) {
        expect(read([changed, junk])).toBeNull()
        expect(cookies.readText(changed, NOW + 1)).toBeNull()
      }
      expect(read([changed.replace(/[;,]/g, ''), junk, good])?.admittedAs).toBe('default')
    })
  })
})

describe('a retry cookie that is not signed', () => {
  it('makes nobody wait, and shortens no wait', async ({ expect }) => {
    const cookies = new RetryCookies(route, signer)
    const [name, good] = cookieOf(cookies.write(10, NOW, true)).split('=') as [string, string]
    const other = cookieOf(cookies.write(500, NOW, true)).split('=')[1]!
    await fuzz('retry', fc.tuple(alteration, textOf(...PIECES)), ([[how, at, letter], junk]) => {
      const changed = altered(good, how, at, letter, other).replace(/[;,\s]/g, '_')
      if (changed !== good)
        expect(cookies.waitS(headerWith(name, [changed, junk]), NOW, true)).toBe(0)
      expect(cookies.waitS(headerWith(name, [changed, junk, good]), NOW, true)).toBe(10)
    })
  })
})

describe('a ticket that is not signed', () => {
  it('is no place in the waiting room, in a cookie or a header', async ({ expect }) => {
    const cookies = new TicketCookies(route, signer)
    const good = cookies.sign(TICKET)
    const other = cookies.sign({ ...TICKET, keyS: 1 })
    const name = cookieOf(cookies.write(good, TICKET, true)).split('=')[0]!
    await fuzz('ticket', fc.tuple(alteration, textOf(...PIECES)), ([[how, at, letter], junk]) => {
      const changed = altered(good, how, at, letter, other).replace(/[;,\s]/g, '_')
      if (changed === good) return
      expect(cookies.read(headerWith(name, [changed, junk]), changed, true, NOW)).toBeNull()
      expect(cookies.read(null, junk, true, NOW)).toBeNull()
      expect(cookies.read(headerWith(name, [changed, good]), junk, true, NOW)?.place).toBe(3)
    })
  })
})

describe('a pass that is not signed', () => {
  const anyPass: fc.Arbitrary<Pass> = fc.record({
    id: fc.stringMatching(/^[\w-]{1,20}$/),
    route: fc.string({ minLength: 1, maxLength: 20 }),
    class: fc.option(fc.string({ minLength: 1, maxLength: 20 })),
    key: fc.option(fc.string({ minLength: 1, maxLength: 20 })),
    expiresAtMs: fc.nat({ max: 4e12 }),
    once: fc.boolean(),
    skip: fc.boolean(),
  })

  it('is none; a signed one says what was signed', async ({ expect }) => {
    const other = signPass(
      { id: 'x', route: 'a', class: null, key: null, expiresAtMs: 4e12, once: false, skip: true },
      signer,
    )
    await fuzz('pass', fc.tuple(anyPass, alteration, textOf(...PIECES)), (given) => {
      const [pass, [how, at, letter], junk] = given
      const good = signPass(pass, signer)
      if (good.length <= 600) expect(readPass(good, signer)).toEqual(pass)
      const changed = altered(good, how, at, letter, other)
      if (changed !== good && changed !== other) expect(readPass(changed, signer)).toBeNull()
      expect(readPass(junk, signer)).toBeNull()
    })
  })
})

describe('an operator who did not sign in', () => {
  const secrets = {
    ...{ current: SECRET, previous: null, access: null },
    ...{ adminToken: 'the token of the admin API', adminReadToken: 'a token that may only read' },
  }

  it('is nobody with any cookie; any name survives signing in', async ({ expect }) => {
    const cookie = new AdminCookie(secrets as never)
    const other = cookieOf(cookie.write({ role: 'read', by: 'b' }, NOW, true)).split('=')[1]!
    const by = fc.string({ unit: 'binary', maxLength: 12 })
    const input = fc.tuple(by, alteration, textOf(...PIECES, 'write.', 'read.'))
    await fuzz(
      'admin-cookie',
      input,
      ([name, [how, at, letter], junk]) => {
        const written = cookieOf(cookie.write({ role: 'write', by: name }, NOW, true))
        expect(cookie.read(written, NOW + 1, true)).toMatchObject({ role: 'write' })
        const [key, good] = written.split('=') as [string, string]
        const changed = altered(good, how, at, letter, other).replace(/[;\s]/g, '_')
        if (changed !== good) expect(cookie.read(`${key}=${changed}`, NOW + 1, true)).toBeNull()
        // Planted before the real one, it hides nothing.
        expect(cookie.read(`${key}=${changed}; ${written}`, NOW + 1, true)?.role).toBe('write')
        expect(cookie.read(`${key}=${junk.replace(/;/g, '')}`, NOW + 1, true)).toBeNull()
        expect(cookie.read(written, NOW + 13 * 3_600_000, true)).toBeNull()
      },
      // A name with half of a surrogate pair was an error 500.
      [['\ud800', [0, 0, ''], '']],
    )
  })

  it('is nobody with any token of Cloudflare Access', async ({ expect }) => {
    const verifier = new AccessVerifier({ team: 'https://team.example', audience: 'a' }, async () =>
      Response.json({ keys: [] }),
    )
    const part = (value: unknown): string =>
      Buffer.from(JSON.stringify(value) ?? '').toString('base64url')
    const heads = [{ alg: 'none' }, { alg: 'RS256', kid: 'k' }, { alg: 'HS256', kid: 'k' }, null, 5]
    const claims = [{ aud: 'a', iss: 'https://team.example', exp: 9e9, email: 'x' }, null, []]
    const token = textOf('.', '..', ...[...heads, ...claims].map(part), '=', '-', '_')
    await fuzz('access-token', token, async (text) => {
      const value = text.replace(/[^\x21-\x7e]/g, '')
      const request = new Request('https://gate.example/', {
        headers: { 'Cf-Access-Jwt-Assertion': value },
      })
      expect(await verifier.identify(request, NOW)).toBeNull()
    })
  })
})
