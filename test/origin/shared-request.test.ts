import fc from 'fast-check'
import { describe, it } from 'vitest'
import { CLIENT_IP, forwardedHeaders } from '../../src/origin/forwarded-headers.ts'
import { LentRequest } from '../../src/origin/shared-request.ts'

const name = fc.oneof(
  fc.constantFrom('accept', 'cookie', 'authorization', 'x-a', 'x-b', 'x-forwarded-for'),
  fc.constantFrom('x-forwarded-host', 'x-forwarded-proto', 'tidegate-quality', 'expect', 'te'),
  fc.constantFrom('connection', 'upgrade', 'keep-alive', 'set-cookie'),
  fc.stringMatching(/^[a-z-]{1,12}$/),
)
const value = fc.oneof(
  fc.constantFrom('keep-alive', 'close, x-a', 'websocket', 'a=1, b=2', '192.0.2.1', ''),
  fc.stringMatching(/^[ -~]{0,12}$/).map((text) => text.trim()),
)
const request = fc.record({
  others: fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([name]) => name }),
  url: fc.record({
    authority: fc.constantFrom('shop.example.com', 'news.example.com:8443'),
    isSecure: fc.boolean(),
  }),
  ip: fc.constantFrom(null, '192.0.2.1', '2001:db8::1'),
})

const SHOP = { authority: 'shop.example.com', isSecure: true }

describe('the request that is lent', () => {
  it('has the headers that a copy would have, whoever asked before', ({ expect }) => {
    const lent = new LentRequest()
    let times = 0
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 12 }), (requests) => {
        for (const { others, url, ip } of requests) {
          const given = ip === null ? others : [...others, [CLIENT_IP, ip] as [string, string]]
          const headers = lent.lend(new Headers(given), url)?.headers
          if (headers === undefined) continue
          expect([...headers]).toEqual([...forwardedHeaders(new Headers(given), url, ip)])
          times++
        }
      }),
      { numRuns: 1000 },
    )
    expect(times).toBeGreaterThan(1000)
  })

  it('is a GET that follows no redirect, the same object each time', ({ expect }) => {
    const lent = new LentRequest()
    const first = lent.lend(new Headers({ Cookie: 'a=1', Connection: 'keep-alive' }), SHOP)
    const second = lent.lend(new Headers({ Authorization: 'Basic eA==' }), SHOP)
    expect(first).toMatchObject({ method: 'GET', redirect: 'manual', body: null })
    expect(second).toBe(first)
    expect(second!.headers.has('Cookie')).toBe(false)
  })

  it.for(['keep-alive', 'Keep-Alive', 'close'])(
    'does not mind "Connection: %s"',
    (value, { expect }) => {
      const lent = new LentRequest().lend(new Headers({ Connection: value }), SHOP)
      expect(lent!.headers.has('Connection')).toBe(false)
    },
  )

  it.for([
    ['names headers for one connection', { Connection: 'close, x-hop', 'X-Hop': '1' }],
    ['asks for an upgrade', { Connection: 'keep-alive', Upgrade: 'websocket' }],
    ['may have come in several lines', { Cookie: 'a=1, b=2' }],
    ['sets cookies, which only servers do', { 'Set-Cookie': 'a=1' }],
  ] as const)('is none where one %s, however often', ([, given], { expect }) => {
    const lent = new LentRequest()
    for (let i = 0; i < 2; i++) expect(lent.lend(new Headers(given), SHOP)).toBeNull()
  })

  it('is none for more headers than any browser sends, and the next is as ever', ({ expect }) => {
    const lent = new LentRequest()
    const flood = new Headers()
    for (let i = 0; i < 5000; i++) flood.set(`x-${i}`, '1')
    expect(lent.lend(flood, SHOP)).toBeNull()
    const next = new Headers({ Accept: '*/*' })
    expect([...lent.lend(next, SHOP)!.headers]).toEqual([...forwardedHeaders(next, SHOP, null)])
  })

  it('is none where a value may not be set again, and nothing of it stays', ({ expect }) => {
    const lent = new LentRequest()
    const odd = new Headers()
    // What a runtime takes from the network may be more than it takes from JavaScript.
    odd.forEach = (take) => {
      take('2', 'x-other', odd)
      take('a\nb', 'x-odd', odd)
    }
    expect(lent.lend(odd, SHOP)).toBeNull()
    expect([...lent.lend(new Headers(), SHOP)!.headers.keys()]).toEqual([
      'x-forwarded-host',
      'x-forwarded-proto',
    ])
  })
})
