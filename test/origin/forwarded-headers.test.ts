import { describe, it } from 'vitest'
import {
  countsAsSample,
  keepPrivate,
  outgoingRequest,
  TIDEGATE_HEADERS,
} from '../../src/origin/forwarded-headers.ts'
import { splitUrl } from '../../src/request/url.ts'

interface Asked {
  readonly headers?: Record<string, string>
  readonly url?: string
  readonly ip?: string | null
}

/** The headers of the request to the origin. */
function forwarded({ headers = {}, url = 'https://shop.example.com/', ip = '203.0.113.9' }: Asked) {
  const request = new Request(url, { headers })
  const view = { request, headers: request.headers, url: splitUrl(url), ip, cookies: null }
  return outgoingRequest(view, 'http://127.0.0.1:8788/', null).headers
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

  it('append the address to the list, once', ({ expect }) => {
    const chain = (given: string) =>
      forwarded({ headers: { 'X-Forwarded-For': given } }).get('X-Forwarded-For')
    expect(chain('198.51.100.1')).toBe('198.51.100.1, 203.0.113.9')
    expect(chain('203.0.113.9')).toBe('203.0.113.9')
    expect(chain('198.51.100.1, 203.0.113.9')).toBe('198.51.100.1, 203.0.113.9')
  })

  it('have no address if the platform gives none', ({ expect }) => {
    expect(forwarded({ ip: null }).has('X-Forwarded-For')).toBe(false)
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
