interface Context {
  waitUntil(work: Promise<unknown>): void
}

const does = (part: string): boolean => PARTS.includes(part)
const IS_TIMED = does('timed')
const SETS_HEADERS = does('headers')
const HAS_CLOCK = does('clock')
const HEEDS_CLIENT = does('signal')
const IS_AWAITED = does('background')
const READS_ANSWER = does('answer')
const SETS_COOKIE = does('cookie')

/** The same as the gate's. */
const COOKIE =
  'tidegate-site=2.sixteen-letters-.mwk20u6v.mwk20u6v.visitors.not-signed-22-letters-; Path=/; Max-Age=2025; HttpOnly; SameSite=Lax'

let spentMs = 0

/** A bare proxy with one additional part of careful proxying: shows what the part costs in this runtime. */
export default {
  async fetch(request: Request, _env: unknown, context: Context): Promise<Response> {
    const startedAt = IS_TIMED ? Date.now() : 0
    if (HEEDS_CLIENT) request.signal.addEventListener('abort', () => {})
    const clock = HAS_CLOCK ? setTimeout(() => {}, 30_000) : null
    const target = ORIGIN + request.url.substring(request.url.indexOf('/', 8))
    const answer = SETS_HEADERS
      ? fetch(withForwardedHeaders(new Request(target, request)))
      : fetch(target, request)
    if (IS_AWAITED) context.waitUntil(answer)
    const response = await answer
    if (clock !== null) clearTimeout(clock)
    if (IS_TIMED) spentMs += Date.now() - startedAt
    if (READS_ANSWER && !isPlain(response.headers)) return new Response(response.body, response)
    return SETS_COOKIE ? withCookie(response) : response
  },
}

function withForwardedHeaders(outgoing: Request): Request {
  outgoing.headers.set('X-Forwarded-Host', 'shop.example.com')
  outgoing.headers.set('X-Forwarded-Proto', 'https')
  return outgoing
}

/** No cache hit and no event stream. */
function isPlain(headers: Headers): boolean {
  if (headers.has('CF-Cache-Status')) return false
  return headers.get('Content-Type') !== 'text/event-stream'
}

function withCookie(given: Response): Response {
  const response = new Response(given.body, given)
  response.headers.append('Set-Cookie', COOKIE)
  response.headers.set('Cache-Control', 'private')
  return response
}

export const spent = (): number => spentMs
