import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { RequestMatch } from '../../src/config/config.ts'
import { MatchRules, textMatches } from '../../src/request/match-rules.ts'
import { RouteTable } from '../../src/request/route-table.ts'
import { splitUrl } from '../../src/request/url.ts'
import { type Asked, routeOf, routesOf, viewOf } from '../support/requests.ts'

/** Does a rule with this match take a request to this address? */
const takes = (match: RequestMatch, url: string, asked?: Asked): boolean =>
  new MatchRules([match]).first(viewOf(url, asked)) === 0

describe('rules', () => {
  it('are tested in order: the first that matches wins, with and without a path', ({ expect }) => {
    const rules = new MatchRules([
      { path: ['/checkout/*'], method: ['POST'] },
      { header: { 'x-plan': ['gold'] } },
      { path: ['/checkout/*'] },
      {},
    ])
    const headers = { 'X-Plan': 'gold' }
    expect(rules.first(viewOf('/checkout/pay', { method: 'POST', headers }))).toBe(0)
    expect(rules.first(viewOf('/checkout/pay', { headers }))).toBe(1)
    expect(rules.first(viewOf('/checkout/pay'))).toBe(2)
    expect(rules.first(viewOf('/a'))).toBe(3)
  })

  it('find nothing if none matches', ({ expect }) => {
    expect(new MatchRules([]).first(viewOf('/a'))).toBe(-1)
    expect(new MatchRules([{ path: ['/b'] }]).first(viewOf('/a'))).toBe(-1)
  })

  it('need all their conditions, and one value of each condition', ({ expect }) => {
    const match = { path: ['/a', '/b'], method: ['GET', 'HEAD'], query: { q: ['1', '2'] } }
    expect(takes(match, '/b?q=2', { method: 'HEAD' })).toBe(true)
    expect(takes(match, '/c?q=2')).toBe(false)
    expect(takes(match, '/a?q=3')).toBe(false)
    expect(takes(match, '/a?q=1', { method: 'POST' })).toBe(false)
  })

  it('compare the name of a header in any case, and its value exactly', ({ expect }) => {
    const match = { header: { 'user-agent': ['*bot*', 'curl/*'] } }
    expect(takes(match, '/', { headers: { 'User-Agent': 'a bot of kinds' } })).toBe(true)
    expect(takes(match, '/', { headers: { 'USER-AGENT': 'curl/8' } })).toBe(true)
    expect(takes(match, '/', { headers: { 'user-agent': 'Bot' } })).toBe(false)
    expect(takes(match, '/')).toBe(false)
  })

  it('compare cookies', ({ expect }) => {
    const match = { cookie: { member: ['gold', 'silver'] } }
    expect(takes(match, '/', { headers: { Cookie: 'a=b; member=silver' } })).toBe(true)
    expect(takes(match, '/', { headers: { Cookie: 'member=bronze' } })).toBe(false)
    expect(takes(match, '/', { headers: { Cookie: 'a=member=gold' } })).toBe(false)
  })

  it('compare the decoded query', ({ expect }) => {
    const match = { query: { plan: ['a b'] } }
    expect(takes(match, '/?x=1&plan=a+b')).toBe(true)
    expect(takes(match, '/?plan=a%20b')).toBe(true)
    expect(takes(match, '/?plans=a+b')).toBe(false)
    expect(takes({ query: { plan: ['*'] } }, '/?plan')).toBe(true)
    expect(takes({ query: { plan: ['*'] } }, '/')).toBe(false)
  })

  it('compare the country and network that the edge sets', ({ expect }) => {
    expect(takes({ country: ['DE', 'T1'] }, '/', { cf: { country: 'T1' } })).toBe(true)
    expect(takes({ country: ['DE'] }, '/', { cf: { country: 'FR' } })).toBe(false)
    expect(takes({ country: ['DE'] }, '/')).toBe(false)
    expect(takes({ asn: [13335] }, '/', { cf: { asn: 13335 } })).toBe(true)
    expect(takes({ asn: [13335] }, '/', { cf: { asn: 13336 } })).toBe(false)
    expect(takes({ asn: [13335] }, '/')).toBe(false)
  })

  it('compare the client’s address', ({ expect }) => {
    const match = { ip: ['10.0.0.0/8', '2001:db8::/32'] }
    expect(takes(match, '/', { ip: '10.1.2.3' })).toBe(true)
    expect(takes(match, '/', { ip: '2001:db8::9' })).toBe(true)
    expect(takes(match, '/', { ip: '11.1.2.3' })).toBe(false)
    expect(takes(match, '/')).toBe(false)
  })

  it('cannot be avoided by another spelling of the path', ({ expect }) => {
    for (const path of [
      '//checkout',
      '/%63heckout',
      '/checkout/',
      '/./checkout',
      '/a/%2e%2e/checkout',
    ])
      expect(takes({ path: ['/checkout'] }, path), path).toBe(true)
  })

  it('give the same result as testing 100 of them one by one', ({ expect }) => {
    const segment = fc.constantFrom('a', 'b', '*')
    const pattern = fc.array(segment, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
    const match: fc.Arbitrary<RequestMatch> = fc.record(
      {
        path: fc.array(pattern, { minLength: 1, maxLength: 3 }),
        method: fc.subarray(['GET', 'POST'], { minLength: 1 }),
        query: fc.record({ q: fc.subarray(['1', '2'], { minLength: 1 }) }),
      },
      { requiredKeys: [] },
    )
    const request = fc.tuple(
      fc.constantFrom('/', '/a', '/a/b', '/b/a/b', '/c'),
      fc.constantFrom('', '?q=1', '?q=2'),
      fc.constantFrom('GET', 'POST'),
    )
    const hundred = fc.array(match, { minLength: 100, maxLength: 100 })
    fc.assert(
      fc.property(hundred, request, (matches, [path, query, method]) => {
        const view = viewOf(`${path}${query}`, { method })
        const alone = matches.findIndex((one) => new MatchRules([one]).first(view) === 0)
        expect(new MatchRules(matches).first(view)).toBe(alone)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the text of a condition', () => {
  it('is exact, or has a * at the start, at the end, or at both', ({ expect }) => {
    expect(textMatches('ab', 'ab')).toBe(true)
    expect(textMatches('ab', 'abc')).toBe(false)
    expect(textMatches('ab*', 'abc')).toBe(true)
    expect(textMatches('*bc', 'abc')).toBe(true)
    expect(textMatches('*b*', 'abc')).toBe(true)
    expect(textMatches('*d*', 'abc')).toBe(false)
    expect(textMatches('*', '')).toBe(true)
  })
})

describe('the classes of a route', () => {
  it('end with one that takes everything, so that every request has a class', ({ expect }) => {
    const { classes } = routeOf({ classes: [{ name: 'buyers', match: { path: '/checkout/*' } }] })
    const rules = new MatchRules(classes.map(({ match }) => match))
    expect(classes.map(({ name }) => name)).toEqual(['buyers', 'default'])
    expect(rules.first(viewOf('/anything'))).toBe(1)
  })
})

describe('the route of a request', () => {
  const routes = new RouteTable(
    routesOf(
      { name: 'shop', match: 'shop.example.com/*' },
      { name: 'api', match: '*.example.com/api/*' },
      { name: 'rest', match: '/static/*' },
    ).map((route) => ({ route, mode: route.mode })),
  )
  const nameOf = (url: string): string | null => routes.first(splitUrl(url))?.route.name ?? null

  it('is the first with a matching host and path', ({ expect }) => {
    expect(nameOf('https://shop.example.com/api/x')).toBe('shop')
    expect(nameOf('https://www.example.com/api/x')).toBe('api')
    expect(nameOf('https://elsewhere.test/static/x')).toBe('rest')
    expect(nameOf('https://elsewhere.test/api/x')).toBeNull()
  })

  it('does not depend on the case of the host, on its port or on a dot at its end', ({
    expect,
  }) => {
    for (const host of ['SHOP.example.COM', 'shop.example.com:8443', 'shop.example.com.'])
      expect(nameOf(`https://${host}/a`), host).toBe('shop')
  })

  it('takes any name below a "*.", and not the name itself', ({ expect }) => {
    expect(nameOf('https://a.b.example.com/api/x')).toBe('api')
    expect(nameOf('https://example.com/api/x')).toBeNull()
    expect(nameOf('https://badexample.com/api/x')).toBeNull()
  })
})
