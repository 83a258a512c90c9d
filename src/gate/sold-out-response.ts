import type { Route } from '../config/config.ts'
import { REFUSAL_TEXTS, REFUSE, verdictText } from '../protocol/verdict.ts'
import { allowOrigin } from './cors.ts'
import { wantsHtml } from './error-response.ts'
import { REASONS_PATH } from './reasons-page.ts'

/** The built-in page. It does not try again by itself: waiting would be in vain. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sold out</title>
<style>
:root { color-scheme: light dark }
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { font-size: 1.75rem; line-height: 1.2 }
</style>
</head>
<body>
<main>
<h1>Sold out</h1>
<p>Nothing is left, so you do not need to wait any longer. This page does not refresh itself.</p>
</main>
</body>
</html>
`

/** The answer to new visitors of a route whose origin said that nothing is left. It names no time for a retry. */
export function soldOutResponse(
  request: Request,
  { name, refusal, verdictHeader }: Route,
  className: string | null,
): Response {
  const { status, soldOutPage } = refusal
  const html = wantsHtml(request)
  const headers = new Headers({
    'Content-Type': html ? 'text/html; charset=utf-8' : 'application/problem+json',
    'Cache-Control': 'no-store',
  })
  if (verdictHeader)
    headers.set('Tidegate-Verdict', verdictText(REFUSE['sold-out'], name, className))
  allowOrigin(headers, request, refusal.allowOrigins)
  const body = html ? (soldOutPage ?? PAGE) : JSON.stringify(problem(status, name, className))
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

/** RFC 9457. */
function problem(status: number, route: string, className: string | null) {
  return {
    type: `${REASONS_PATH}#sold-out`,
    title: 'Sold out',
    status,
    detail: REFUSAL_TEXTS['sold-out'],
    reason: 'sold-out',
    route,
    class: className,
  }
}
