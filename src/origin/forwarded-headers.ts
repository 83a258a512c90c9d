import { type OriginPool, REWRITING_HEADERS } from '../config/config.ts'
import type { RequestView } from '../request/request-view.ts'

/** The headers that Tidegate defines. They are removed, so that a client cannot forge them. */
export const TIDEGATE_HEADERS = [
  'Tidegate-Verdict',
  'Tidegate-Signature',
  'Tidegate-Time',
  'Tidegate-Head',
  'Tidegate-Pass',
  'Tidegate-Ticket',
  'Tidegate-Poll',
  'Tidegate-Challenge',
  'Tidegate-Quality',
] as const

/**
 * Headers for one connection that the runtime does not remove. `Expect` is one of them, because the runtime would
 * take the origin's 100 (Continue) as its answer.
 */
const THIS_HOP = ['Expect', 'Proxy-Authorization', 'Proxy-Connection'] as const

/** The headers of a client that an origin does not get. */
export function headersToDrop({ keepHeaders }: Pick<OriginPool, 'keepHeaders'>): readonly string[] {
  const rewriting = REWRITING_HEADERS.filter((name) => !keepHeaders.includes(name))
  return [...TIDEGATE_HEADERS, ...THIS_HOP, ...rewriting]
}

/**
 * The request for the origin. The runtime copies the client's headers and removes most of those that are for one
 * connection only. `body` replaces the client's body, if it is given.
 */
export function outgoingRequest(
  { request, url, ip }: RequestView,
  target: string,
  body: ReadableStream | Uint8Array<ArrayBuffer> | null,
  dropped: readonly string[],
): Request {
  const { method, headers: given } = request
  const outgoing = new Request(
    target,
    body === null ? request : { method, headers: given, body, redirect: 'manual' },
  )
  const { headers } = outgoing
  for (const name of dropped) headers.delete(name)
  headers.set('X-Forwarded-Host', url.authority)
  headers.set('X-Forwarded-Proto', url.isSecure ? 'https' : 'http')
  // A client can write any addresses into the list that it sends, so the list is replaced.
  if (ip === null) headers.delete('X-Forwarded-For')
  else headers.set('X-Forwarded-For', ip)
  return outgoing
}

/** Up to the next comma outside of quotes: `private="Set-Cookie, X-Id"` is one directive. */
const DIRECTIVE = /(?:"[^"]*"|[^,])+/g

/** Headers that shared caches read before `Cache-Control` (RFC 9213). */
const CDN_CACHE_HEADERS = ['CDN-Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Surrogate-Control']

/** An answer that sets a cookie must not be stored by a shared cache. */
export function keepPrivate(headers: Headers): void {
  const given = headers.get('Cache-Control')
  headers.set('Cache-Control', given === null ? 'private' : asPrivate(given))
  for (const name of CDN_CACHE_HEADERS) headers.delete(name)
}

function asPrivate(cacheControl: string): string {
  const kept = (cacheControl.match(DIRECTIVE) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(public|private|s-maxage)\b/i.test(part))
  return ['private', ...kept].join(', ')
}

/** Values of `CF-Cache-Status` for an answer from the cache. */
const FROM_CACHE = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED'])

/** Does the response time measure the origin? Cache hits, upgrades and event streams do not. */
export function countsAsSample(headers: Headers, status: number): boolean {
  if (status === 101) return false
  if (FROM_CACHE.has(headers.get('CF-Cache-Status') ?? '')) return false
  return !headers.get('Content-Type')?.toLowerCase().startsWith('text/event-stream')
}
