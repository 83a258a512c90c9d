import { describe, it } from 'vitest'
import { REWRITING_HEADERS, type RewritingHeader } from '../../src/config/config.ts'
import {
  countsAsSample,
  headersToDrop,
  keepPrivate,
  outgoingRequest,
  TIDEGATE_HEADERS,
} from '../../src/origin/forwarded-headers.ts'
import { splitUrl } from '../../src/request/url.ts'

interface Asked {
  readonly headers?: Record<string, string>
  readonly url?: string
  readonly ip?: string | null
  readonly keepHeaders?: readonly RewritingHeader[]
}

/** The headers of the request to the origin. */
function forwarded({
  headers = {},
  url = 'https://shop.example.com/',
  ip = '203.0.113.9',
  keepHeaders = [],
}: Asked) {
  const request = new Request(url, { headers })
  const view = { request, headers: request.headers, url: splitUrl(url), ip, cookies: null }
  return outgoingRequest(view, 'http://127.0.0.1:8788/', null, headersToDrop({ keepHeaders }))
    .headers
}

describe('the headers for the origin', () => {
  it('are those of the client', ({ expect }) => {
    const headers = forwarded({
      headers: { Accept: 'text/html', Authorization: 'Basic eA==', Range: 'bytes=0-' },
    })
    expect(headers.get('Accept')).toBe('text/html')
    expect(headers.get('Authorization')).toBe('Basic eA==')
    expect(headers.get('Range')).toBe('bytes=0-')
  })

  it('do not include Tidegate’s own, which a client could forge', ({ expect }) => {
    const forged = Object.fromEntries(TIDEGATE_HEADERS.map((name) => [name, 'forged']))
    const headers = forwarded({ headers: { ...forged, 'X-Tidegate': 'theirs' } })
    expect([...headers.keys()].filter((name) => name.startsWith('tidegate-'))).toEqual([])
    expect(headers.get('X-Tidegate')).toBe('theirs')
  })
})

describe('X-Forwarded-*', () => {
  it('have the true host, scheme and address, whatever the client sends', ({ expect }) => {
    const claimed = { 'X-Forwarded-Host': 'evil.test', 'X-Forwarded-Proto': 'gopher' }
    const headers = forwarded({ headers: claimed })
    expect(headers.get('X-Forwarded-Host')).toBe('shop.example.com')
    expect(headers.get('X-Forwarded-Proto')).toBe('https')
    expect(headers.get('X-Forwarded-For')).toBe('203.0.113.9')
    const plain = forwarded({ url: 'http://shop.example.com/' })
    expect(plain.get('X-Forwarded-Proto')).toBe('http')
  })

  it('replace the list of the client by the known address', ({ expect }) => {
    for (const given of ['198.51.100.1', '203.0.113.9', '198.51.100.1, 203.0.113.9'])
      expect(forwarded({ headers: { 'X-Forwarded-For': given } }).get('X-Forwarded-For')).toBe(
        '203.0.113.9',
      )
  })

  it('have no address if it is not known, whatever the client sends', ({ expect }) => {
    expect(forwarded({ ip: null }).has('X-Forwarded-For')).toBe(false)
    const claimed = { 'X-Forwarded-For': '10.0.0.1' }
    expect(forwarded({ ip: null, headers: claimed }).has('X-Forwarded-For')).toBe(false)
  })

  it('have the host in lower case without the final dot', ({ expect }) => {
    const view = { request: new Request('https://a.example'), headers: new Headers() }
    const url = splitUrl('https://SHOP.Example.com.:8443/a')
    const outgoing = outgoingRequest(
      { ...view, url, ip: null, cookies: null },
      'http://127.0.0.1:8788/',
      null,
      [],
    )
    expect(outgoing.headers.get('X-Forwarded-Host')).toBe('shop.example.com:8443')
  })
})

describe('headers that rewrite or re-route at some origins', () => {
  const all = Object.fromEntries(REWRITING_HEADERS.map((name) => [name, 'x']))

  it('are dropped', ({ expect }) => {
    const headers = forwarded({ headers: all })
    for (const name of REWRITING_HEADERS) expect(headers.has(name), name).toBe(false)
  })

  it('are kept if the configuration lists them', ({ expect }) => {
    const headers = forwarded({ headers: all, keepHeaders: ['Forwarded'] })
    expect(REWRITING_HEADERS.filter((name) => headers.has(name))).toEqual(['Forwarded'])
  })
})

describe('an answer that sets a cookie', () => {
  const cacheControl = (given?: string) => {
    const headers = new Headers(given === undefined ? {} : { 'Cache-Control': given })
    keepPrivate(headers)
    return headers.get('Cache-Control')
  }

  it('is private, whatever the origin sent', ({ expect }) => {
    expect(cacheControl()).toBe('private')
    expect(cacheControl('public, max-age=60')).toBe('private, max-age=60')
    expect(cacheControl('max-age=60, S-MaxAge=600')).toBe('private, max-age=60')
    expect(cacheControl('PUBLIC')).toBe('private')
    expect(cacheControl('private, no-cache')).toBe('private, no-cache')
    expect(cacheControl('no-store')).toBe('private, no-store')
    expect(cacheControl('private="Set-Cookie, X-A", max-age=1')).toBe('private, max-age=1')
  })

  it('has no headers for shared caches', ({ expect }) => {
    const headers = new Headers({
      'CDN-Cache-Control': 'max-age=600',
      'Cloudflare-CDN-Cache-Control': 'max-age=600',
      'Surrogate-Control': 'max-age=600',
      ETag: '"1"',
    })
    keepPrivate(headers)
    expect(Object.fromEntries(headers)).toEqual({ 'cache-control': 'private', etag: '"1"' })
  })
})

describe('a sample', () => {
  const sample = (headers: Record<string, string>, status = 200) =>
    countsAsSample(new Headers(headers), status)

  it('is every answer from the origin itself', ({ expect }) => {
    for (const status of [200, 204, 301, 404, 500]) expect(sample({}, status)).toBe(true)
    for (const cached of ['MISS', 'DYNAMIC', 'BYPASS', 'EXPIRED'])
      expect(sample({ 'CF-Cache-Status': cached }), cached).toBe(true)
  })

  it('is not a cache hit, an upgrade or an event stream', ({ expect }) => {
    for (const cached of ['HIT', 'STALE', 'REVALIDATED', 'UPDATING'])
      expect(sample({ 'CF-Cache-Status': cached }), cached).toBe(false)
    expect(sample({}, 101)).toBe(false)
    expect(sample({ 'Content-Type': 'text/event-stream' })).toBe(false)
    expect(sample({ 'Content-Type': 'Text/Event-Stream; charset=utf-8' })).toBe(false)
  })
})
