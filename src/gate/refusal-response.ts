import type { Route } from '../config/config.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { REFUSAL_TEXTS, REFUSE, type RefuseReason, verdictText } from '../protocol/verdict.ts'
import { allowOrigin } from './cors.ts'
import { wantsHtml } from './error-response.ts'
import { REASONS_PATH } from './reasons-page.ts'
import { FORM_PAGE, PAGE } from './refusal-page.ts'

/** The refusals of one route: for browsers a page that retries by itself, for programs a problem document. */
export class RefusalResponses {
  readonly #route: Route
  /** By all that they differ in. Thousands of refusals in a second share a few prepared ones. */
  readonly #prepared = new TwoGenerationCache<string, PreparedRefusal>(MOST_PREPARED)

  constructor(route: Route) {
    this.#route = route
  }

  /** Spread over the range, so that refused visitors do not come back together. */
  retryAfterS(coin: number): number {
    const { retryMinS, retryMaxS } = this.#route.refusal
    return Math.min(retryMaxS, retryMinS + Math.floor(coin * (retryMaxS - retryMinS + 1)))
  }

  answer(
    request: Request,
    reason: RefuseReason,
    className: string | null,
    retryAfterS: number,
    cookie: string | null,
  ): Response {
    const { method } = request
    const kind = !wantsHtml(request) ? 'problem' : RETRIED.has(method) ? 'page' : 'form-page'
    const key = `${kind} ${reason} ${retryAfterS} ${className} ${cookie}`
    let prepared = this.#prepared.get(key)
    if (prepared === undefined) {
      prepared = this.#prepare(kind, reason, className, retryAfterS)
      if (cookie !== null) prepared.template.headers.set('Set-Cookie', cookie)
      this.#prepared.set(key, prepared)
    }
    const response = new Response(method === 'HEAD' ? null : prepared.body, prepared.template)
    allowOrigin(response.headers, request, this.#route.refusal.allowOrigins)
    return response
  }

  #prepare(
    kind: 'page' | 'form-page' | 'problem',
    reason: RefuseReason,
    className: string | null,
    retryAfterS: number,
  ): PreparedRefusal {
    const { name, refusal, verdictHeader } = this.#route
    const { status, page } = refusal
    const headers = new Headers({
      'Content-Type': kind === 'problem' ? 'application/problem+json' : 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Retry-After': String(retryAfterS),
    })
    if (verdictHeader) headers.set('Tidegate-Verdict', verdictText(REFUSE[reason], name, className))
    if (kind === 'problem')
      return {
        template: new Response(null, { status, headers }),
        body: JSON.stringify(problem(status, reason, name, className, retryAfterS)),
      }
    const template = page ?? (kind === 'page' ? PAGE : FORM_PAGE)
    if (kind === 'page' && !REFRESHES_ITSELF.test(template))
      headers.set('Refresh', String(retryAfterS))
    const body = template.replaceAll('{{retryAfter}}', String(retryAfterS))
    return { template: new Response(null, { status, headers }), body }
  }
}

/** A browser may send these again by itself. It does not send a form again. */
const RETRIED: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** A custom page may lack this tag. Then the `Refresh` header makes browsers try again. */
const REFRESHES_ITSELF = /http-equiv\s*=\s*["']?refresh\b/i

/** A few seconds' worth of an ordinary range of `Retry-After` and several classes. */
const MOST_PREPARED = 500

/**
 * A refusal that many clients get. The runtime copies status and headers of a `Response` by itself, which costs less than
 * headers from JavaScript. Its cookie holds nothing but the time of the next draw.
 */
interface PreparedRefusal {
  readonly body: string
  readonly template: Response
}

/** RFC 9457. */
function problem(
  status: number,
  reason: RefuseReason,
  route: string,
  className: string | null,
  retryAfter: number,
) {
  return {
    type: `${REASONS_PATH}#${reason}`,
    title: 'Busy',
    status,
    detail: `${REFUSAL_TEXTS[reason]} Try again in ${retryAfter} seconds.`,
    reason,
    route,
    class: className,
    retryAfter,
  }
}
