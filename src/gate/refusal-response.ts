import type { Route } from '../config/config.ts'
import { REFUSE, type RefuseReason, verdictText } from '../protocol/verdict.ts'
import { wantsHtml } from './error-response.ts'

/** The refusals of one route: for browsers a page that retries by itself, for programs a problem document. */
export class RefusalResponses {
  readonly #route: Route
  /** By kind, reason and retry time. Thousands of refusals in a second share a few prepared ones. */
  readonly #prepared = new Map<number, PreparedRefusal>()

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
    retryAfterS: number,
    cookie: string | null,
  ): Response {
    const kind = wantsHtml(request) ? 'page' : 'problem'
    const key =
      (retryAfterS * REASONS.length + REASONS.indexOf(reason)) * 2 + (kind === 'page' ? 1 : 0)
    let prepared = this.#prepared.get(key)
    if (prepared === undefined) {
      prepared = this.#prepare(kind, reason, retryAfterS)
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear()
      this.#prepared.set(key, prepared)
    }
    return prepared.response(cookie, request.method === 'HEAD')
  }

  #prepare(kind: 'page' | 'problem', reason: RefuseReason, retryAfterS: number): PreparedRefusal {
    const { status, page } = this.#route.refusal
    const headers = new Headers({
      'Content-Type': kind === 'page' ? 'text/html; charset=utf-8' : 'application/problem+json',
      'Cache-Control': 'no-store',
      'Retry-After': String(retryAfterS),
    })
    if (this.#route.verdictHeader) headers.set('Tidegate-Verdict', verdictText(REFUSE[reason]))
    if (kind === 'page' && !REFRESHES_ITSELF.test(page ?? PAGE))
      headers.set('Refresh', String(retryAfterS))
    const body =
      kind === 'page'
        ? (page ?? PAGE).replaceAll('{{retryAfter}}', String(retryAfterS))
        : problem(status, reason, retryAfterS)
    return new PreparedRefusal(status, headers, body)
  }
}

const REASONS = Object.keys(REFUSE) as RefuseReason[]

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

function problem(status: number, reason: RefuseReason, retryAfterS: number): string {
  const detail = `More visitors than can be served well right now. Try again in ${retryAfterS} seconds.`
  return `{"type":"about:blank","title":"Busy","status":${status},"detail":"${detail}","reason":"${reason}","retryAfter":${retryAfterS}}`
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="{{retryAfter}}">
<title>Just a moment</title>
<style>
:root { color-scheme: light dark }
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { font-size: 1.75rem; line-height: 1.2 }
progress { width: 100%; height: .5rem; accent-color: #0a7ea4 }
</style>
</head>
<body>
<main>
<h1>Just a moment</h1>
<p>More people are here than we can serve well right now. You do not need to do anything: this page tries again by itself.</p>
<p role="timer">Seconds until the next try: <span id="s">{{retryAfter}}</span></p>
<progress id="p" max="{{retryAfter}}" value="0" aria-label="Time until the next try"></progress>
</main>
<script>
const end = Date.now() + {{retryAfter}}000
setInterval(() => {
  const left = Math.max(0, (end - Date.now()) / 1000)
  s.textContent = Math.ceil(left)
  p.value = p.max - left
}, 250)
</script>
</body>
</html>
`
