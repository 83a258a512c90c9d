/** Every error of the admin API is a problem document (RFC 9457). */
const TITLES = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  426: 'Upgrade required',
  501: 'Not implemented',
  503: 'Unavailable',
} as const

export type ProblemStatus = keyof typeof TITLES

export function problem(status: ProblemStatus, detail?: string): Response {
  const body = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    ...(detail === undefined ? {} : { detail }),
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  })
}

/** The same for every path, so that it gives no hint of what there is. */
export function unauthorized(): Response {
  const response = problem(401)
  response.headers.set('WWW-Authenticate', 'Bearer')
  return response
}
