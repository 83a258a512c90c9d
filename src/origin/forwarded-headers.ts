import type { UrlParts } from '../request/url.ts'

/** Meant for one connection only (RFC 9110 §7.6.1): a proxy does not pass them on. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** What a client may not tell the origin in our name. */
const OURS = 'tidegate-'
// A 100 (Continue) of the origin's would end the request here: the runtime takes it for the answer.
const NOT_THEIRS = new Set([...HOP_BY_HOP, 'expect'])
/** A bit for each letter that one of them begins with. */
const SUSPECT = [OURS, ...NOT_THEIRS].reduce((bits, name) => bits | bitOf(name), 0)

/** What the origin is told: the client's headers, without those that are not its to send. */
export function forwardedHeaders(
  given: Headers,
  { authority, isSecure }: Pick<UrlParts, 'authority' | 'isSecure'>,
  ip: string | null,
): Headers {
  const headers = new Headers(given)
  // One walk over what is there costs less than asking for each that might be.
  for (const name of given.keys()) if (!isTheirs(name)) drop(name, headers, given)
  headers.set('X-Forwarded-Host', authority)
  headers.set('X-Forwarded-Proto', isSecure ? 'https' : 'http')
  if (ip !== null) headers.set('X-Forwarded-For', forwardedFor(headers.get('X-Forwarded-For'), ip))
  return headers
}

export function isTheirs(name: string): boolean {
  // Most names are told by their first letter, which costs less than to look one up.
  if ((SUSPECT & bitOf(name)) === 0) return true
  return !NOT_THEIRS.has(name) && !name.startsWith(OURS)
}

/** Of its first letter. Names that begin with none share bits with letters, and are looked up for it. */
function bitOf(name: string): number {
  return 1 << name.charCodeAt(0)
}

function drop(name: string, headers: Headers, given: Headers): void {
  if (name === 'connection') for (const named of namedByConnection(given)) headers.delete(named)
  headers.delete(name)
  if (name === 'upgrade' && isWebSocket(given)) headers.set('Upgrade', 'websocket')
}

/** The headers that `Connection` says are for this connection only. */
function namedByConnection(headers: Headers): readonly string[] {
  const connection = headers.get('Connection')
  if (connection === null || namesNoHeader(connection)) return NONE
  return connection.split(',').flatMap((name) => (isToken(name.trim()) ? [name.trim()] : []))
}

const NONE: readonly string[] = []

/** Does a `Connection` only say what becomes of the connection, as nearly all do? */
export function namesNoHeader(connection: string): boolean {
  return connection === 'keep-alive' || /^(keep-alive|close|upgrade)$/i.test(connection)
}

/** Of an answer's hop-by-hop headers, those that the runtime does not hold back by itself. */
const LEFT_TO_US = ['Proxy-Authenticate', 'Proxy-Connection']

/**
 * The origin's answer without what was meant for the connection to it; mostly, that is nothing. One that is not ours to
 * write to is copied then.
 */
export function endToEnd(
  response: Response,
  headers: Headers,
  status: number,
  isOurs: boolean,
): Response {
  if (status === 101) return response
  const named = namedByConnection(headers)
  // Only who speaks of the connection, or of a proxy (RFC 9110 §15.5.8), has more to say of it.
  if (named === NONE && status !== 407) return response
  const stripped = isOurs ? response : new Response(response.body, response)
  for (const name of [...named, ...LEFT_TO_US]) stripped.headers.delete(name)
  return stripped
}

function isWebSocket(headers: Headers): boolean {
  return headers.get('Upgrade')?.toLowerCase() === 'websocket'
}

/** On Cloudflare nobody but the edge itself can set this header. */
export const CLIENT_IP = 'cf-connecting-ip'

/** Cloudflare has put the client's address there already: it is not put there twice. */
export function forwardedFor(given: string | null, ip: string): string {
  if (given === null || given === ip) return ip
  return given.endsWith(`, ${ip}`) ? given : `${given}, ${ip}`
}

const isToken = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name)

/** Up to the next comma, but not one in quotes: `private="Set-Cookie, X-Id"` is one directive. */
const DIRECTIVE = /(?:"[^"]*"|[^,])+/g

/** What shared caches heed before `Cache-Control` (RFC 9213). */
const FOR_CDNS = ['CDN-Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Surrogate-Control']

/** An answer that sets a cookie must not be stored where others are served from. */
export function keepPrivate(headers: Headers): void {
  const given = headers.get('Cache-Control')
  headers.set('Cache-Control', given === null ? 'private' : asPrivate(given))
  for (let i = 0; i < FOR_CDNS.length; i++) headers.delete(FOR_CDNS[i]!)
}

function asPrivate(cacheControl: string): string {
  const kept = (cacheControl.match(DIRECTIVE) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(public|private|s-maxage)\b/i.test(part))
  return ['private', ...kept].join(', ')
}

/** How Cloudflare says that an answer came from its cache. */
const FROM_CACHE = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED'])

const EVENT_STREAM = 'text/event-stream'

/** Did the origin itself answer, in one piece? Cache hits, upgrades and event streams tell nothing of it. */
export function countsAsSample(headers: Headers, status: number): boolean {
  if (status === 101) return false
  const cached = headers.get('CF-Cache-Status')
  if (cached !== null && FROM_CACHE.has(cached)) return false
  const type = headers.get('Content-Type')
  // Most are shorter, and need no look at their letters.
  if (type === null || type.length < EVENT_STREAM.length) return true
  return !type.toLowerCase().startsWith(EVENT_STREAM)
}
