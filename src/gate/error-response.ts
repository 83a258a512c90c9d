import type { NoAnswer } from '../origin/forwarded.ts'
import { prefersHtml } from '../request/accept.ts'

/** Browsers name HTML in `Accept` when they navigate; programs do not, or prefer JSON. */
export function wantsHtml(request: Request): boolean {
  return prefersHtml(request.headers.get('Accept'))
}

interface ErrorText {
  readonly status: number
  readonly title: string
  readonly detail: string
}

/** Why there is no answer from the origin. The client gets no more details. */
const NO_ANSWERS = {
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
  'slow-upload': {
    status: 408,
    title: 'Upload too slow',
    detail: 'The request did not arrive in time.',
  },
  // A client that closed its sending side may still read this.
  'client-gone': {
    status: 400,
    title: 'Incomplete request',
    detail: 'The request ended before it was complete.',
  },
  unsendable: {
    status: 400,
    title: 'Bad request',
    detail: 'The request cannot be forwarded.',
  },
} as const satisfies Readonly<Record<NoAnswer, ErrorText>>

const NO_ROUTE: ErrorText = {
  status: 404,
  title: 'Not found',
  detail: 'There is nothing at this address.',
}

const NOT_ALLOWED: ErrorText = {
  status: 405,
  title: 'Method not allowed',
  detail: 'This method is not allowed here.',
}

export function noAnswer(request: Request, why: NoAnswer): Response {
  return errorResponse(request, NO_ANSWERS[why])
}

/** The answer to a request that matches no route. */
export function noRoute(request: Request): Response {
  return errorResponse(request, NO_ROUTE)
}

/** The answer to a method that the gate does not forward. */
export function methodNotAllowed(request: Request): Response {
  const response = errorResponse(request, NOT_ALLOWED)
  response.headers.set('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  return response
}

function errorResponse(request: Request, { status, title, detail }: ErrorText): Response {
  const html = wantsHtml(request)
  const headers = {
    'Content-Type': html ? 'text/html; charset=utf-8' : 'application/problem+json',
    'Cache-Control': 'no-store',
  }
  const body = html
    ? errorPage(title, detail)
    : JSON.stringify({ type: 'about:blank', title, status, detail })
  return new Response(request.method === 'HEAD' ? null : body, { status, headers })
}

function errorPage(title: string, detail: string): string {
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
