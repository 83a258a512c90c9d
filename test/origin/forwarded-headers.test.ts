import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ForwardedHeaders } from '../../src/origin/forwarded-headers.ts'
import { forwardedHeaders } from '../../src/origin/headers.ts'

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
  given: fc.uniqueArray(fc.tuple(name, value), { maxLength: 8, selector: ([name]) => name }),
  url: fc.record({
    authority: fc.constantFrom('shop.example.com', 'news.example.com:8443'),
    isSecure: fc.boolean(),
  }),
  ip: fc.constantFrom(null, '192.0.2.1', '2001:db8::1'),
})

const SHOP = { authority: 'shop.example.com', isSecure: true }

describe('the headers that are lent', () => {
  it('are those that a copy would be, whoever asked before', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 12 }), (requests) => {
        const lent = new ForwardedHeaders()
        for (const { given, url, ip } of requests) {
          const expected = forwardedHeaders(new Headers(given), url, ip)
          expect([...lent.lend(new Headers(given), url, ip)]).toEqual([...expected])
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are the same object, request after request', ({ expect }) => {
    const lent = new ForwardedHeaders()
    const first = lent.lend(new Headers({ Cookie: 'a=1', Connection: 'keep-alive' }), SHOP, null)
    const second = lent.lend(new Headers({ Authorization: 'Basic eA==' }), SHOP, null)
    expect(second).toBe(first)
    expect(second.has('Cookie')).toBe(false)
  })

  it.for([
    ['names headers for one connection', { Connection: 'close, x-hop', 'X-Hop': '1' }],
    ['asks for an upgrade', { Connection: 'keep-alive', Upgrade: 'websocket' }],
    ['may have come in several lines', { Cookie: 'a=1, b=2' }],
  ] as const)('are a copy where one %s, each time anew', ([, given], { expect }) => {
    const lent = new ForwardedHeaders()
    const copies = [1, 2].map(() => lent.lend(new Headers(given), SHOP, null))
    expect(copies[0]).not.toBe(copies[1])
    expect([...copies[1]!]).toEqual([...forwardedHeaders(new Headers(given), SHOP, null)])
  })

  it('are a copy where a value may not be set again, and nothing of it stays', ({ expect }) => {
    const lent = new ForwardedHeaders()
    const odd = new Headers({ 'X-Odd': '1', 'X-Other': '2' })
    // What a runtime takes from the network may be more than it takes from JavaScript.
    odd.forEach = (take) => {
      take('2', 'x-other', odd)
      take('a\nb', 'x-odd', odd)
    }
    expect(lent.lend(odd, SHOP, null).get('X-Odd')).toBe('1')
    expect([...lent.lend(new Headers(), SHOP, null).keys()]).toEqual([
      'x-forwarded-host',
      'x-forwarded-proto',
    ])
  })
})
