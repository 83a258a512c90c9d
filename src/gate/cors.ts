import type { RequestView } from '../request/request-view.ts'

/** Headers of a refusal that a script of another site may read. */
const EXPOSED = 'Retry-After, Tidegate-Ticket, Tidegate-Waiting, Tidegate-Verdict'

/** Lets scripts of the allowed sites read the answer. Otherwise a browser shows them only that the request failed. */
export function allowOrigin(
  headers: Headers,
  request: Request,
  allowOrigins: readonly string[],
): void {
  if (allowOrigins.length === 0) return
  headers.append('Vary', 'Origin')
  const origin = request.headers.get('Origin')
  if (origin === null || !isAllowed(origin, allowOrigins)) return
  headers.set('Access-Control-Allow-Origin', origin)
  // A wildcard must not let every site use the visitor's cookies.
  if (!allowOrigins.includes('*')) headers.set('Access-Control-Allow-Credentials', 'true')
  headers.set('Access-Control-Expose-Headers', EXPOSED)
}

const isAllowed = (origin: string, allowOrigins: readonly string[]): boolean =>
  allowOrigins.includes('*') || allowOrigins.includes(origin)

/**
 * The answer to a preflight that asks for the ticket's header; null: the origin answers. No origin knows this header, so its
 * own answer would forbid it.
 */
export function ticketPreflight(
  request: Request,
  allowOrigins: readonly string[],
): Response | null {
  const { headers } = request
  const origin = headers.get('Origin')
  const asked = headers.get('Access-Control-Request-Headers') ?? ''
  if (origin === null || !isAllowed(origin, allowOrigins)) return null
  if (!/(^|[\s,])tidegate-ticket([\s,]|$)/i.test(asked)) return null
  const answer = new Headers({
    'Access-Control-Allow-Methods': headers.get('Access-Control-Request-Method') ?? 'GET',
    'Access-Control-Allow-Headers': asked,
    'Access-Control-Max-Age': '600',
  })
  allowOrigin(answer, request, allowOrigins)
  return new Response(null, { status: 204, headers: answer })
}

/**
 * Browsers send no cookie with a preflight (Fetch standard, CORS-preflight fetch). So it would be a new session, and an
 * admitted visitor could be refused.
 */
export function isPreflight({ request, headers }: RequestView): boolean {
  return (
    request.method === 'OPTIONS' &&
    headers.has('Origin') &&
    headers.has('Access-Control-Request-Method')
  )
}
