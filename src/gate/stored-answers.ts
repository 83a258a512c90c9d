import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import type { RequestView } from '../request/request-view.ts'

/** An answer is stored anew when the stored one is older than this. */
const STORE_EVERY_MS = 5000
const LARGEST_BYTES = 1_048_576
const MOST_REMEMBERED = 1000
const STORED_AT = 'Tidegate-Stored-At'
/** Cookies of the gate say nothing about the answer. */
const OWN_COOKIE = /^(__Host-|__Secure-)?tidegate-/

/** Earlier answers of the origin to requests of one route, in the cache of the data centre. */
export class StoredAnswers {
  readonly #cache: () => Cache
  readonly #route: string
  readonly #maxAgeMs: number
  /** By key, when this isolate stored it last. */
  readonly #storedAtMs = new TwoGenerationCache<string, number>(MOST_REMEMBERED)

  constructor(route: string, maxAgeMs: number, cache: () => Cache) {
    this.#route = route
    this.#maxAgeMs = maxAgeMs
    this.#cache = cache
  }

  /** Stores a copy of an answer, if any shared cache could and if the stored one is not new. null: nothing to do. */
  keep(view: RequestView, response: Response, nowMs: number): Promise<void> | null {
    if (!isShared(view) || view.request.method !== 'GET' || !isStorable(response)) return null
    const key = this.#keyOf(view)
    if (nowMs - (this.#storedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < STORE_EVERY_MS)
      return null
    this.#storedAtMs.set(key, nowMs)
    const copy = response.clone()
    const headers = new Headers(copy.headers)
    headers.set(STORED_AT, String(nowMs))
    headers.set('Cache-Control', `max-age=${Math.ceil(this.#maxAgeMs / 1000)}`)
    headers.delete('Vary')
    const stored = new Response(copy.body, { status: copy.status, headers })
    return this.#cache()
      .put(key, stored)
      .catch(() => {})
  }

  /** An earlier answer to the same request; null: none that may be used. */
  async find(view: RequestView, nowMs: number): Promise<Response | null> {
    const { method } = view.request
    if (!isShared(view) || (method !== 'GET' && method !== 'HEAD')) return null
    const stored = await this.#cache()
      .match(this.#keyOf(view))
      .catch(() => undefined)
    if (stored === undefined) return null
    const ageMs = nowMs - Number(stored.headers.get(STORED_AT) ?? Number.NaN)
    const encoding = stored.headers.get('Content-Encoding')
    const isAccepted =
      encoding === null || (view.headers.get('Accept-Encoding') ?? '').includes(encoding)
    if (!(ageMs >= 0 && ageMs <= this.#maxAgeMs) || !isAccepted) {
      await stored.body?.cancel()
      return null
    }
    const answer = new Response(method === 'HEAD' ? null : stored.body, stored)
    const { headers } = answer
    for (const name of [STORED_AT, 'CF-Cache-Status', 'Expires']) headers.delete(name)
    headers.set('Age', String(Math.floor(ageMs / 1000)))
    // RFC 9211. No other cache may store it: the origin may be able to give a new answer in a moment.
    headers.set('Cache-Status', 'tidegate; hit; detail=degraded')
    headers.set('Cache-Control', 'no-store')
    return answer
  }

  /** Clients cannot request this address, because `.invalid` has no server. */
  #keyOf({ url }: RequestView): string {
    const site = `${url.isSecure ? 'https' : 'http'}://${url.authority}`
    return `https://stored.tidegate.invalid/${[this.#route, site, url.target].map(encodeURIComponent).join('/')}`
  }
}

/** A request with a cookie of the site, a password or a range may get an answer of its own. */
function isShared({ headers, cookies }: RequestView): boolean {
  if (headers.has('Authorization') || headers.has('Range')) return false
  if (cookies === null) return true
  return cookies.split(';').every((one) => OWN_COOKIE.test(one.trim()))
}

/** As for a shared cache (RFC 9111, §3), but only answers that say so themselves, and that do not vary. */
function isStorable({ status, headers }: Response): boolean {
  if (status !== 200 || headers.has('Set-Cookie')) return false
  const control = headers.get('Cache-Control')?.toLowerCase() ?? ''
  if (/\b(private|no-store|no-cache|must-revalidate|proxy-revalidate)\b/.test(control)) return false
  if (!/\bpublic\b|\bs-maxage\s*=\s*"?[1-9]|\bmax-age\s*=\s*"?[1-9]/.test(control)) return false
  const vary = headers.get('Vary')?.toLowerCase().split(',') ?? []
  if (vary.some((name) => name.trim() !== 'accept-encoding')) return false
  const length = headers.get('Content-Length')
  return length !== null && Number(length) <= LARGEST_BYTES
}
