import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  matchCovers,
  takesEverything,
  textCovers,
} from '../../src/config/contradictions/coverage.ts'
import { hostCovers, pathCovers, pathsMeet } from '../../src/config/schema/patterns.ts'
import { ipMatcher } from '../../src/lib/ip-range.ts'
import { textMatches } from '../../src/request/match-rules.ts'
import { PathTree } from '../../src/request/path-tree.ts'
import { RouteTable } from '../../src/request/route-table.ts'
import { splitUrl } from '../../src/request/url.ts'
import { resolvedRoute } from '../support/config.ts'

/** All words over an alphabet up to a length. There are few enough to try all of them. */
function wordsOf(alphabet: readonly string[], longest: number): readonly string[][] {
  let words: string[][] = [[]]
  for (let length = 0; length < longest; length++)
    words = [[], ...words.flatMap((word) => alphabet.map((letter) => [...word, letter]))]
  return words
}

const pattern = (letters: readonly string[]) =>
  fc.array(fc.constantFrom(...letters), { maxLength: 3 })

function takesPath(path: string): (candidate: string) => boolean {
  const tree = new PathTree()
  tree.add(path, 0)
  return (candidate) => tree.matching(candidate).length > 0
}

describe('whether a path pattern covers another, compared with the matching of requests', () => {
  // 'z' stands for every segment that no pattern names; four segments are one more than any pattern has.
  const paths = wordsOf(['a', 'b', 'z'], 4).map((word) => `/${word.join('/')}`)
  const anyPath = pattern(['a', 'b', '*']).map((word) => `/${word.join('/')}`)

  it('is true if and only if the other takes no path alone', ({ expect }) => {
    fc.assert(
      fc.property(anyPath, anyPath, (a, b) => {
        const [wide, narrow] = [takesPath(a), takesPath(b)]
        expect(pathCovers(a, b)).toBe(paths.every((path) => wide(path) || !narrow(path)))
      }),
    )
  })

  it('finds that two patterns meet if and only if both take some path', ({ expect }) => {
    fc.assert(
      fc.property(anyPath, anyPath, (a, b) => {
        const [one, other] = [takesPath(a), takesPath(b)]
        expect(pathsMeet(a, b)).toBe(paths.some((path) => one(path) && other(path)))
      }),
    )
  })

  it('takes the bare prefix and everything below for /* at the end', ({ expect }) => {
    const takes = takesPath('/shop/*')
    expect(['/shop', '/shop/', '/shop/a', '/shop/a/b', '/shopping', '/'].map(takes)).toEqual([
      ...[true, true, true, true],
      ...[false, false],
    ])
  })
})

describe('whether a host pattern covers another', () => {
  const names = wordsOf(['a', 'b', 'z'], 4)
    .filter((word) => word.length > 0)
    .map((word) => word.join('.'))
  const anyHost = fc.oneof(
    fc.constant('*'),
    fc
      .tuple(fc.boolean(), fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 }))
      .map(([open, word]) => `${open ? '*.' : ''}${word.join('.')}`),
  )

  it('is true if and only if the other takes no host alone', ({ expect }) => {
    const taking = (host: string) => {
      const routes = new RouteTable([
        { route: resolvedRoute({ match: { host } }), mode: 'enforce' },
      ])
      return (name: string) => routes.first(splitUrl(`https://${name}/`)) !== null
    }
    fc.assert(
      fc.property(anyHost, anyHost, (a, b) => {
        const [wide, narrow] = [taking(a), taking(b)]
        expect(hostCovers(a, b)).toBe(names.every((name) => wide(name) || !narrow(name)))
      }),
    )
  })
})

describe('whether a text pattern covers another', () => {
  const texts = wordsOf(['a', 'b', 'z'], 5).map((word) => word.join(''))
  const anyText = fc
    .tuple(fc.boolean(), fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }), fc.boolean())
    .map(([open, word, end]) => `${open ? '*' : ''}${word.join('')}${end ? '*' : ''}`)
    .filter((text) => text !== '**')

  it('is true if and only if the other takes no text alone', ({ expect }) => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const alone = texts.some((text) => textMatches(b, text) && !textMatches(a, text))
        expect(textCovers(a, b)).toBe(!alone)
      }),
    )
  })
})

describe('whether a condition covers another', () => {
  it.for([
    [{}, { path: ['/a'] }, true],
    [{ path: ['/a'] }, {}, false],
    [{ path: ['/shop/*'] }, {}, true], // on the route /shop/*
    [{ path: ['/shop/a', '/shop/b/*'] }, { path: ['/shop/b/c', '/shop/a'] }, true],
    [{ method: ['GET', 'HEAD'] }, { method: ['GET'], country: ['DE'] }, true],
    [{ method: ['GET'] }, { method: ['GET', 'HEAD'] }, false],
    [{ header: { accept: ['*'] } }, { header: { accept: ['text/html'] } }, true],
    [{ header: { accept: ['*'] } }, { header: { cookie: ['text/html'] } }, false],
    [{ cookie: { plan: ['gold*'] } }, { cookie: { plan: ['golden', 'gold'] } }, true],
    [{ query: { a: ['1'], b: ['2'] } }, { query: { a: ['1'] } }, false],
    [{ asn: [1, 2] }, { asn: [2] }, true],
    [{ ip: ['10.0.0.0/8'] }, { ip: ['10.1.0.0/16', '10.9.9.9'] }, true],
    [{ ip: ['10.1.0.0/16'] }, { ip: ['10.0.0.0/8'] }, false],
    [{ ip: ['2001:db8::/32'] }, { ip: ['2001:db8:1::/48'] }, true],
  ] as const)('%j over %j: %s', ([a, b, expected], { expect }) => {
    expect(matchCovers(a, b, '/shop/*')).toBe(expected)
  })

  it('agrees with the matching of requests on the first and last address of a range', ({
    expect,
  }) => {
    const octet = fc.constantFrom(0, 127, 128, 255)
    const bits = fc.constantFrom(8, 9, 16, 17, 32)
    const range = fc.tuple(octet, octet, bits).map(([a, b, size]) => {
      const value = ((((10 << 24) | (a << 16) | (b << 8)) >>> 0) & (-1 << (32 - size))) >>> 0
      const last = (value | (size === 32 ? 0 : 0xffffffff >>> size)) >>> 0
      return { text: `${dotted(value)}/${size}`, first: dotted(value), last: dotted(last) }
    })
    fc.assert(
      fc.property(range, range, (a, b) => {
        const isIn = ipMatcher([a.text])
        expect(matchCovers({ ip: [a.text] }, { ip: [b.text] }, '/*')).toBe(
          isIn(b.first) && isIn(b.last),
        )
      }),
    )
  })

  it('covers everything if it has no conditions', ({ expect }) => {
    expect(takesEverything({}, '/a')).toBe(true)
    expect(takesEverything({ path: ['/a'] }, '/a')).toBe(true)
    expect(takesEverything({ path: ['/a'], method: ['GET'] }, '/a')).toBe(false)
  })
})

const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
