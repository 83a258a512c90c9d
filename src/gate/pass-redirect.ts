import type { RequestView } from '../request/request-view.ts'
import { wantsHtml } from './error-response.ts'
import { PASS_NAME } from './passes.ts'

/**
 * A pass in the address would be shown, stored and passed on as a referrer. So a browser that opens such an address is
 * sent to the address without it, and gets the pass as a cookie. null: no pass in the address, or not a browser.
 */
export function passRedirect(view: RequestView, nowMs: number): Response | null {
  const { pass, request, url } = view
  if (pass === undefined || request.method !== 'GET' || !wantsHtml(request)) return null
  const headers = new Headers({
    Location: url.target.startsWith('//') ? `/.${url.target}` : url.target,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  })
  const cookie = passCookie(pass, nowMs, url.isSecure)
  if (cookie !== null) headers.set('Set-Cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** null: not of the form of a pass, so that a client cannot set other cookies or attributes. */
function passCookie(token: string, nowMs: number, secure: boolean): string | null {
  const form = /^1\.[\w-]+\.([0-9a-z]{1,10})\.[os]*\.[\w.%!'()*~-]+$/.exec(token)
  if (form === null) return null
  const maxAgeS = Math.ceil((Number.parseInt(form[1]!, 36) - nowMs) / 1000)
  if (maxAgeS <= 0) return null
  return `${PASS_NAME}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
