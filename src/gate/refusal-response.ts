import type { Route } from '../config/config.ts'
import { REFUSE, type RefuseReason, verdictText } from '../protocol/verdict.ts'

/** Every refusal explains itself: to people as a page that tries again by itself, to programs as a problem. */
export class RefusalResponses {
  readonly #route: Route
  /** By what they differ in. RefusalResponses of one second share a handful, and repeat themselves by the thousand. */
  readonly #prepared = new Map<number, PreparedAnswer>()

  constructor(route: Route) {
    this.#route = route
  }

  /** Spread over the range, so that the refused do not come back together. */
  retryAfterS(coin: number): number {
    const { retryMinS, retryMaxS } = this.#route.refusal
    return Math.min(retryMaxS, retryMinS + Math.floor(coin * (retryMaxS - retryMinS + 1)))
  }

  answer(
    request: Request,
    reason: RefuseReason,
    retryAfterS: number,
    note: string | null,
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
    return prepared.response(note, request.method === 'HEAD')
  }

  #prepare(kind: 'page' | 'problem', reason: RefuseReason, retryAfterS: number): PreparedAnswer {
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
    return new PreparedAnswer(status, headers, body)
  }
}

const REASONS = Object.keys(REFUSE) as RefuseReason[]

/** A page of the user's own need not have it: browsers then try again because of the header. */
const REFRESHES_ITSELF = /http-equiv\s*=\s*["']?refresh\b/i

/** As many as an ordinary range of `Retry-After` needs: a wide one is not worth its memory. */
const MOST_PREPARED = 1000

/**
 * An answer that is given often. A `Response` that is there is copied inside the runtime, with status and headers; a
 * list or an object of headers costs two to four times as much, because each of its texts crosses over from JavaScript.
 */
class PreparedAnswer {
  readonly #body: string
  readonly #without: Response
  #note: string | null = null

  constructor(status: number, headers: Headers, body: string) {
    this.#body = body
    this.#without = new Response(null, { status, headers })
  }

  response(note: string | null, isHead: boolean): Response {
    if (note !== this.#note) {
      if (note === null) this.#without.headers.delete('Set-Cookie')
      else this.#without.headers.set('Set-Cookie', note)
      this.#note = note
    }
    return new Response(isHead ? null : this.#body, this.#without)
  }
}

interface Trouble {
  readonly status: number
  readonly title: string
  readonly detail: string
}

/** Why the origin's answer is not here. The client learns no more than that. */
const ORIGIN_TROUBLES = {
  unreachable: {
    status: 502,
    title: 'Not reachable',
    detail: 'The site could not be reached. It may be back in a moment.',
  },
  'too-slow': {
    status: 504,
    title: 'No answer in time',
    detail: 'The site did not answer in time.',
  },
} as const satisfies Readonly<Record<string, Trouble>>

const NO_ROUTE: Trouble = {
  status: 404,
  title: 'Not found',
  detail: 'There is nothing at this address.',
}

export function originProblem(request: Request, kind: keyof typeof ORIGIN_TROUBLES): Response {
  return troubleAnswer(request, ORIGIN_TROUBLES[kind])
}

/** For what no route takes. */
export function noRoute(request: Request): Response {
  return troubleAnswer(request, NO_ROUTE)
}

function troubleAnswer(request: Request, { status, title, detail }: Trouble): Response {
  const html = wantsHtml(request)
  const headers = {
    'Content-Type': html ? 'text/html; charset=utf-8' : 'application/problem+json',
    'Cache-Control': 'no-store',
  }
  const body = html
    ? troublePage(title, detail)
    : JSON.stringify({ type: 'about:blank', title, status, detail })
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

function troublePage(title: string, detail: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${detail}</p>
</main>
</body>
</html>
`
}

function problem(status: number, reason: RefuseReason, retryAfterS: number): string {
  const detail = `More visitors than can be served well right now. Try again in ${retryAfterS} seconds.`
  return `{"type":"about:blank","title":"Busy","status":${status},"detail":"${detail}","reason":"${reason}","retryAfter":${retryAfterS}}`
}

/** A browser's navigation asks for HTML by name; programs do not. */
function wantsHtml(request: Request): boolean {
  return request.headers.get('Accept')?.includes('text/html') ?? false
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
