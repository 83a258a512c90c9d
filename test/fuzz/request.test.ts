import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ipMatcher, parseIp, parseRange } from '../../src/lib/ip-range.ts'
import { languageOf, prefersHtml } from '../../src/request/accept.ts'
import { cookieBefore, readCookie, signedValueAt } from '../../src/request/cookie-header.ts'
import { pathReadings } from '../../src/request/path-readings.ts'
import { takeParameter } from '../../src/request/query-parameter.ts'
import { splitUrl } from '../../src/request/url.ts'
import { fuzz, SLOWEST_MS, textOf } from '../support/fuzz.ts'

const PATH_PIECES = [
  ...['/', '//', '/.', '/..', '/../', '/./', '\\', '..\\', ';', ';x=1', '/..;', '%3b', '%3B/'],
  ...['%2f', '%2F', '%5c', '%2e', '%2E%2e', '%252e', '%c0%ae', '%EF%BB%BF', '%00', '%', '%4', 'A'],
  ...['shop', 'healthz', 'é', '\u0130', '%C3%A9', '?', '#', '&', '=', ':', '@', ' '],
]
const path = textOf(...PATH_PIECES).map((text) => `/${text}`)

/** What is left of a path when no server can make anything else of it. */
const isPlain = (reading: string): boolean =>
  reading.startsWith('/') &&
  reading
    .slice(1)
    .split('/')
    .every(
      (segment, i, all) => segment !== '.' && segment !== '..' && (segment || i === all.length - 1),
    )

describe('the URL of a request', () => {
  it('is split without an error, and every reading is plain', async ({ expect }) => {
    const host = textOf('a.example', '.', ':', ':80', '[::1]', 'A', '@').map((text) =>
      text.replace(/[/?#]/g, ''),
    )
    await fuzz('url', fc.tuple(host, path), ([authority, rest]) => {
      const url = `https://${authority}${rest}`
      const parts = splitUrl(url)
      expect(parts.readings.every(isPlain), url).toBe(true)
      expect(parts.path).toBe(parts.readings[0])
      expect(parts.readings.length).toBeLessThanOrEqual(4)
      expect(url.toLowerCase()).toContain(parts.target.toLowerCase())
      expect(parts.host).toBe(parts.host.toLowerCase())
    })
  })

  it('has readings that lose no letter: what is removed is a slash, a dot or a parameter', async ({
    expect,
  }) => {
    await fuzz(
      'path-readings',
      path.map((text) => text.replace(/[?#]/g, '')),
      (text) => {
        const [first, ...others] = pathReadings(text)
        // The first reading and a path that is split first and then decoded by the language are the same.
        const kept: string[] = []
        for (const raw of text.split('/')) {
          const segment = decodedByLanguage(raw)
          if (segment === '..') kept.pop()
          else if (segment !== '' && segment !== '.') kept.push(segment)
        }
        const expected = `/${kept.join('/')}${kept.length > 0 && text.endsWith('/') ? '/' : ''}`
        expect(first).toBe(expected)
        expect(new Set([first, ...others]).size).toBe(others.length + 1)
      },
      // A byte order mark was removed, so that a name became a dot segment, or another name.
      ['/search/%EF%BB%BF../x', '/chec%EF%BB%BFkout', '/%ef%bb%bf'],
    )
  })

  it('gives up a parameter whole, and no other', async ({ expect }) => {
    const query = textOf('pass=', 'Pass=', 'pass', '=', '&', '?', '#', '%', '%70ass=', 'x=1', '+')
    await fuzz('query-parameter', query, (text) => {
      const url = `https://a.example/p?${text}`
      const taken = takeParameter(url, 'pass')
      if (taken === null) return
      expect(takeParameter(taken.url, 'pass')).toBeNull()
      const rest = (of: string): string[] =>
        (of.split('#')[0]!.split('?').slice(1).join('?') || '')
          .split('&')
          .filter((part) => part !== '' && !part.startsWith('pass='))
      expect(rest(taken.url)).toEqual(rest(url))
    })
  })
})

/** Bytes that are no UTF-8 become U+FFFD, and encoded slashes stay. */
function decodedByLanguage(segment: string): string {
  return segment
    .split(/(%2f|%5c)/i)
    .map((part, i) => {
      if (i % 2 === 1) return part.toUpperCase()
      return part.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
        Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
      )
    })
    .join('')
}

describe('a Cookie header', () => {
  const header = textOf('gate=', 'gate', '=', ';', '; ', ',', ', ', ' ', '"', 'xgate=', 'a=b', '\t')

  it('gives only values that follow the whole name', async ({ expect }) => {
    await fuzz('cookie-header', header, (text) => {
      const value = readCookie(text, 'gate')
      if (value !== null) {
        expect(text).toContain(`gate=`)
        expect(value).not.toContain(';')
      }
      const pairs = text.split(';').map((pair) => pair.replace(/^ +/, ''))
      const expected = pairs.find((pair) => pair.startsWith('gate='))?.slice('gate='.length)
      expect(value).toBe(expected?.trim() ?? null)
      for (let at = text.length; at >= 0; ) {
        const before = cookieBefore(text, 'gate', at)
        expect(before).toBeLessThan(at || 1)
        if (before >= 0) expect(signedValueAt(text, before + 5)).not.toMatch(/[;,]/)
        at = before
      }
    })
  })

  it('of 128 KB is read in a quarter of a second, whatever is in it', ({ expect }) => {
    for (const piece of [
      'gate=,',
      'gate=;',
      ' ',
      'gate',
      'gate= ',
      ', ',
      `gate=${'x'.repeat(999)},`,
    ]) {
      const text = piece.repeat(Math.ceil(131_072 / piece.length))
      const startedMs = performance.now()
      for (let at = text.length; at >= 0; ) {
        at = cookieBefore(text, 'gate', at)
        if (at >= 0) signedValueAt(text, at + 5)
      }
      expect(performance.now() - startedMs, piece).toBeLessThan(SLOWEST_MS)
    }
  })
})

describe('Accept and Accept-Language', () => {
  it('never fail, and choose only a language that there is', async ({ expect }) => {
    const header = textOf(
      ...['text/html', 'application/json', '*/*', 'de', 'pt-BR', 'en', '*', '__proto__', ';', ','],
      ...[';q=', '0', '1', '.5', '1e9', '-1', 'NaN', ' ', '=', 'Q=0x1'],
    )
    const languages = new Set(['de', 'en', 'pt'])
    await fuzz('accept', header, (text) => {
      expect(typeof prefersHtml(text)).toBe('boolean')
      if (!/html/i.test(text)) expect(prefersHtml(text)).toBe(false)
      const language = languageOf(text, languages)
      expect(language === null || languages.has(language)).toBe(true)
    })
  })
})

describe('an address', () => {
  it('is one exactly if Node says so, and a range contains it only if it is', async ({
    expect,
  }) => {
    const address = textOf(
      ...[
        '1',
        '0',
        '00',
        '255',
        '256',
        '.',
        ':',
        '::',
        'ffff',
        'FFFF',
        '1.2.3.4',
        '::ffff:',
        '/',
        '%',
      ],
      ...['10.0.0.0', '2001:db8::', '01', 'g', '-', ' '],
    )
    const any = ipMatcher(['0.0.0.0/0', '::/0'])
    await fuzz(
      'ip-range',
      fc.oneof(address, fc.ipV4(), fc.ipV6()),
      (text) => {
        const isAddress = isIP(text) !== 0 && !text.includes('%')
        expect(parseIp(text) !== null, text).toBe(isAddress)
        expect(any(text)).toBe(isAddress)
        const range = parseRange(`${text}/8`)
        expect(range !== null).toBe(isAddress)
      },
      // Some systems read a leading zero as octal, so it is no address.
      ['010.1.2.3', '::ffff:1.2.3.04'],
    )
  })
})
