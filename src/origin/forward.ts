import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { endToEnd, isSample } from './headers.ts'
import { largeUpload, passThrough } from './pass-through.ts'

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
  let isClientGone = false
  const onClientGone = (): void => {
    isClientGone = true
    settle('abandoned')
    stop.abort()
  }
  request.signal.addEventListener('abort', onClientGone)
  let isWaiting = true
  let isTooSlow = false
  let timer: ReturnType<typeof setTimeout> | null = null
  const startClock = (): void => {
    if (!isWaiting) return
    timer = setTimeout(() => {
      isTooSlow = true
      stop.abort()
    }, passage.timeoutMs)
  }
  // A slow client is not a slow origin: a large upload must be there before the clock starts.
  const upload = largeUpload(request)
  if (upload === null) startClock()
  else upload.sent.then(startClock, () => (isWaiting ? onClientGone() : upload.cut()))
  try {
    const init: RequestInit & { encodeResponseBody: 'manual' } = {
      method: request.method,
      headers,
      body: upload === null ? request.body : upload.body,
      redirect: 'manual',
      signal: stop.signal,
      // Bodies pass as they came: whoever follows one would else unpack it, and pack it anew.
      encodeResponseBody: 'manual',
    }
    const response = endToEnd(await fetch(url, init))
    // RFC 9110 §15: there is no such status, and no answer can be made with it.
    if (response.status > 599) throw new RangeError(`The origin answered ${response.status}`)
    const counts = upload === null && isSample(response)
    if (ticket?.isSettled === false) ticket.headers(now(), counts)
    if (passage.isWatched && counts && response.status < 500 && response.body !== null)
      return { kind: 'answered', response: watched(request, response, ticket, now, settle) }
    settle(response.status >= 500 ? 'failed' : 'served')
    return { kind: 'answered', response }
  } catch {
    if (isClientGone) return { kind: 'client-gone' }
    settle('failed')
    return { kind: isTooSlow ? 'too-slow' : 'unreachable' }
  } finally {
    isWaiting = false
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
  const { readable, writable } = passThrough(response.headers)
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
