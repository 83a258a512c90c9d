import type { Route } from '../config/config.ts'
import { REFUSAL_TEXTS, REFUSE, type RefuseReason, verdictText } from '../protocol/verdict.ts'
import { wantsHtml } from './error-response.ts'
import { REASONS_PATH } from './reasons-page.ts'
import { FORM_PAGE, PAGE } from './refusal-page.ts'

/** The refusals of one route: for browsers a page that retries by itself, for programs a problem document. */
export class RefusalResponses {
  readonly #route: Route
  /** By kind, reason, retry time and class. Thousands of refusals in a second share a few prepared ones. */
  readonly #prepared = new Map<string, PreparedRefusal>()

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
    const key = `${kind} ${reason} ${retryAfterS} ${className}`
    let prepared = this.#prepared.get(key)
    if (prepared === undefined) {
      prepared = this.#prepare(kind, reason, className, retryAfterS)
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear()
      this.#prepared.set(key, prepared)
    }
    return prepared.response(cookie, method === 'HEAD')
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
      return new PreparedRefusal(
        status,
        headers,
        JSON.stringify(problem(status, reason, name, className, retryAfterS)),
      )
    const template = page ?? (kind === 'page' ? PAGE : FORM_PAGE)
    if (kind === 'page' && !REFRESHES_ITSELF.test(template))
      headers.set('Refresh', String(retryAfterS))
    const body = template.replaceAll('{{retryAfter}}', String(retryAfterS))
    return new PreparedRefusal(status, headers, body)
  }
}

/** A browser may send these again by itself. It does not send a form again. */
const RETRIED: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** A custom page may lack this tag. Then the `Refresh` header makes browsers try again. */
const REFRESHES_ITSELF = /http-equiv\s*=\s*["']?refresh\b/i

/** Enough for an ordinary range of `Retry-After`. A wide range would cost too much memory. */
const MOST_PREPARED = 1000

/** A refusal without its cookie. The runtime copies status and headers of a prepared `Response` by itself. */
class PreparedRefusal {
  readonly #body: string
  readonly #template: Response

  constructor(status: number, headers: Headers, body: string) {
    this.#body = body
    this.#template = new Response(null, { status, headers })
  }

  response(cookie: string | null, isHead: boolean): Response {
    const response = new Response(isHead ? null : this.#body, this.#template)
    if (cookie !== null) response.headers.append('Set-Cookie', cookie)
    return response
  }
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
