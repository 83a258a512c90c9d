import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { isSample } from './headers.ts'

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
    const response = await fetch(url, {
      method: request.method,
      headers,
      body: request.body,
      redirect: 'manual',
      signal: stop.signal,
    })
    const counts = isSample(response)
    ticket?.headers(now(), counts)
    if (passage.isWatched && counts && response.status < 500 && response.body !== null)
      return { kind: 'answered', response: watched(response, ticket, now, settle) }
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
  response: Response,
  ticket: Ticket | null,
  now: () => number,
  settle: (outcome: Outcome) => void,
): Response {
  const { readable, writable } = new IdentityTransformStream()
  response.body!.pipeTo(writable).then(
    () => {
      if (ticket?.isSettled === false) ticket.lastByte(now())
      settle('served')
    },
    // Which side broke off cannot be told for sure; a client that leaves is the ordinary case.
    () => settle('abandoned'),
  )
  return new Response(readable, response)
}
