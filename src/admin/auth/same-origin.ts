/** The header that the page sends with every change. A form of another site cannot send it. */
export const CSRF_HEADER = 'Tidegate-Csrf'

/**
 * Does the request come from our own page? Browsers send cookies by themselves, also with requests that another site
 * causes. A custom header needs a preflight, which this app never answers with leave.
 */
export function isFromOwnPage(request: Request): boolean {
  return request.headers.has(CSRF_HEADER) && hasOwnOrigin(request)
}

/** For a WebSocket, where a page cannot set a header but the browser always sends `Origin`. */
export function hasOwnOrigin(request: Request): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin') return false
  const origin = request.headers.get('Origin')
  return origin === null || hostOf(origin) === (request.headers.get('Host') ?? hostOf(request.url))
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).host
  } catch {
    return null
  }
}
