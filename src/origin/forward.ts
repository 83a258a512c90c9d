import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { endToEnd, isSample } from './headers.ts'

export interface Passage {
  /** null: this request is not counted. */
  readonly ticket: Ticket | null
  readonly background: Background
  readonly timeoutMs: number
  readonly now: () => number
  /** Follow the body to its last byte? It costs throughput, so only some are. */
  readonly isWatched: boolean
  readonly onSettled: () => void
}

export type Forwarded =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'unreachable' | 'too-slow' | 'client-gone' }

/**
 * Sends a request to the origin, streaming both ways, and settles its ticket exactly once: when the headers
 * are here, at the last byte where it is watched, when it fails, or when the client goes away.
 */
export async function forward(
  request: Request,
  url: string,
  headers: Headers,
  passage: Passage,
): Promise<Forwarded> {
  const { ticket, now } = passage
  const stop = new AbortController()
  const settled = Promise.withResolvers<void>()
  const settle = (outcome: Outcome): void => {
    if (ticket !== null && !ticket.isSettled) {
      ticket.settle(outcome)
      passage.onSettled()
    }
    settled.resolve()
  }
  // A Worker's JavaScript stops when its client resets, unless something still waits for it.
  passage.background.waitUntil(settled.promise)
  const onClientGone = (): void => {
    settle('abandoned')
    stop.abort()
  }
  request.signal.addEventListener('abort', onClientGone)
  let isTooSlow = false
  const timer = setTimeout(() => {
    isTooSlow = true
    stop.abort()
  }, passage.timeoutMs)
  try {
    const init: RequestInit & { encodeResponseBody: 'manual' } = {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      signal: stop.signal,
      // Bodies pass as they came: whoever follows one would else unpack it, and pack it anew.
      encodeResponseBody: 'manual',
    }
    const response = endToEnd(await fetch(url, init))
    // RFC 9110 §15: there is no such status, and no answer can be made with it.
    if (response.status > 599) throw new RangeError(`The origin answered ${response.status}`)
    const counts = isSample(response)
    if (ticket?.isSettled === false) ticket.headers(now(), counts)
    if (passage.isWatched && counts && response.status < 500 && response.body !== null)
      return { kind: 'answered', response: watched(request, response, ticket, now, settle) }
    settle(response.status >= 500 ? 'failed' : 'served')
    return { kind: 'answered', response }
  } catch {
    if (request.signal.aborted) return { kind: 'client-gone' }
    settle('failed')
    return { kind: isTooSlow ? 'too-slow' : 'unreachable' }
  } finally {
    clearTimeout(timer)
  }
}

/** The same response, whose ticket is settled when its last byte has gone through. */
function watched(
  request: Request,
  response: Response,
  ticket: Ticket | null,
  now: () => number,
  settle: (outcome: Outcome) => void,
): Response {
  const length = response.headers.get('Content-Length')
  // A known length goes along: a client must see that an answer was cut.
  const { readable, writable } =
    length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
  response.body!.pipeTo(writable).then(
    () => {
      if (ticket?.isSettled === false) ticket.lastByte(now())
      settle('served')
    },
    // The client's leaving is known before the body ends for it; else it was the origin that broke off.
    () => settle(request.signal.aborted ? 'abandoned' : 'failed'),
  )
  return new Response(readable, response)
}
