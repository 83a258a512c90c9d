import type { Route } from '../../config/config.ts'
import { REFUSAL_TEXTS, REFUSE, verdictText } from '../../protocol/verdict.ts'
import { prefersHtml } from '../../request/accept.ts'
import { allowOrigin } from '../cors.ts'
import { REASONS_PATH } from '../reasons-page.ts'

/** Where it is not known when it opens again, and for times that are far away. */
const LONGEST_S = 86_400

/** The answer while an event keeps the route closed. */
export function closedResponse(
  request: Request,
  { name, verdictHeader, refusal }: Route,
  className: string | null,
  reopensMs: number | null,
  nowMs: number,
): Response {
  const isPage = prefersHtml(request.headers.get('Accept'))
  const leftS = reopensMs === null ? LONGEST_S : Math.ceil((reopensMs - nowMs) / 1000)
  const retryAfterS = Math.min(LONGEST_S, Math.max(1, leftS))
  const headers = new Headers({
    'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/problem+json',
    'Cache-Control': 'no-store',
    'Retry-After': String(retryAfterS),
  })
  if (verdictHeader) headers.set('Tidegate-Verdict', verdictText(REFUSE.event, name, className))
  allowOrigin(headers, request, refusal.allowOrigins)
  const problem = {
    ...{ type: `${REASONS_PATH}#event`, title: 'Closed', status: 503, detail: REFUSAL_TEXTS.event },
    ...{ reason: 'event', route: name, class: className, retryAfter: retryAfterS, retryAfterS },
  }
  const body = isPage ? page(reopensMs) : JSON.stringify(problem)
  return new Response(request.method === 'HEAD' ? null : body, { status: 503, headers })
}

function page(reopensMs: number | null): string {
  const iso = reopensMs === null ? '' : new Date(reopensMs).toISOString()
  const opens =
    reopensMs === null
      ? ''
      : `<p>Opens at <time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time></p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Closed</title>
<style>:root { color-scheme: light dark } body { font: 1.0625rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }</style>
</head>
<body>
<main>
<h1>Closed</h1>
<p>${REFUSAL_TEXTS.event}</p>
${opens}
</main>
</body>
</html>
`
}
