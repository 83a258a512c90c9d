import type { Visited } from './visited.ts'
import { TICKET_HEADER } from './waiting/ticket-cookie.ts'

/** What the gate adds to an answer. */

/** Adds the id to the verdict, and the time that the gate held the request. */
export function explain(
  { gate, view, verdict: given, candidate }: Visited,
  headers: Headers,
  beganAtMs: number,
  nowMs: number,
): void {
  const { route, verdicts } = gate
  const verdict = route.verdictHeader ? headers.get('Tidegate-Verdict') : null
  if (verdict !== null && candidate !== null) {
    const id = verdicts.idOf(given, candidate.classIndex, nowMs)
    headers.set('Tidegate-Verdict', `${verdict}; id=${id}`)
  }
  const { arrivedAtMs } = view
  if (!route.serverTiming || arrivedAtMs === undefined) return
  const heldMs = (beganAtMs || nowMs) - arrivedAtMs
  headers.append('Server-Timing', `tidegate;dur=${heldMs}`)
}

/** The visitor has entered. A client without cookies gets the session in the header of its ticket. */
export function endTicket(
  { gate, view, candidate }: Visited,
  headers: Headers,
  cookie: string,
): void {
  const { tickets, route } = gate
  if (tickets === null) return
  if (candidate?.ticket) headers.append('Set-Cookie', tickets.end(view.url.isSecure))
  if (!view.headers.has(TICKET_HEADER)) return
  headers.set(TICKET_HEADER, cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';')))
  if (route.refusal.allowOrigins.length > 0)
    headers.append('Access-Control-Expose-Headers', TICKET_HEADER)
}

/** A visitor who comes back with the same pass must be known as its holder. */
export function withHolder(
  { gate, view, held }: Visited,
  answer: Response,
  nowMs: number,
): Response {
  if (held === null || held.holder === null || !held.isNew) return answer
  const { isSecure } = view.url
  const cookie = gate.passes.holderCookie(held.holder, held.pass, nowMs, isSecure)
  answer.headers.append('Set-Cookie', cookie)
  return answer
}

/** The cookie of a new session, or of a known one that is due for renewal. */
export function sessionCookie(
  { gate, view, candidate, session: known, held }: Visited,
  isEnded: boolean,
  server: string | null,
  nowMs: number,
): string | null {
  const { route, sessions } = gate
  if (route.granularity !== 'session' || candidate === null) return null
  const { isSecure } = view.url
  if (isEnded) return known === null ? null : sessions.end(isSecure)
  if (known === null) {
    const admittedAs = route.classes[candidate.classIndex]!.name
    const id = held?.holder ?? undefined
    return sessions.begin(admittedAs, nowMs, isSecure, id, server)
  }
  const session = { ...known, server: server ?? known.server }
  const hasMoved = session.server !== known.server
  if (!hasMoved && !sessions.isDueForRenewal(session, nowMs)) return null
  return sessions.renew(session, nowMs, isSecure)
}

/** The headers of a fetched response cannot be written to, but those of a copy can. */
export function copyOf(response: Response): Response {
  const { status, headers } = response
  if (status !== 101) return new Response(response.body, response)
  // The body of an upgraded connection is its socket.
  const { webSocket } = response as { webSocket?: unknown }
  return new Response(null, { status, headers, webSocket } as ResponseInit)
}
