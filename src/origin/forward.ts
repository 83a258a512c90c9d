import { Fresh, type OpenTickets } from '../edge/open-tickets.ts'
import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { endToEnd, forwardedHeaders, isSample } from './headers.ts'
import { AS_IT_IS, type Asked, LentRequest } from './lent-request.ts'
import { largeUpload, passThrough, type Upload } from './pass-through.ts'
import type { Tries } from './tries.ts'

export interface Passage {
  readonly asked: Asked
  /** null: the origin is a single server. */
  readonly tries: Tries | null
  /** null: this request is not counted. */
  readonly ticket: Ticket | null
  readonly background: Background
  readonly timeoutMs: number
  readonly openedAtMs: number
  readonly now: () => number
  /** Follow the body to its last byte? It costs throughput, so only some are. */
  readonly isWatched: boolean
  /** Is the answer to be written to? Then it is copied before anybody reads it. */
  readonly isWrittenTo: boolean
  readonly open: OpenTickets
}

/** Why there is no answer. */
export type NoAnswer = 'unreachable' | 'too-slow' | 'client-gone'

/**
 * Sends a request to the origin, streaming both ways, and settles its ticket exactly once: when the headers
 * are here, at the last byte where it is watched, when it fails, or when the client goes away.
 */
export async function forward(
  request: Request,
  url: string,
  passage: Passage,
): Promise<Response | NoAnswer> {
  const { method, headers } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  const upload = body === null ? null : largeUpload(body, headers)
  const { tries, ticket, isWatched, open } = passage
  // JavaScript holds a body then, which it would have to stop.
  const stop = isWatched || upload !== null ? new AbortController() : null
  const isLeft = stop === null && passage.timeoutMs >= LEAST_TIMEOUT_LEFT_MS
  const fresh = isLeft ? new Fresh(request, ticket, passage.openedAtMs) : null
  try {
    // Only `fetch` itself may have what is lent: a second try would send what others ask by then.
    const isLent = method === 'GET' && tries === null && stop === null
    const lent = isLent ? LENT.lend(headers, passage.asked) : null
    const init: RequestInit | Request = lent ?? {
      ...AS_IT_IS,
      method,
      headers: forwardedHeaders(headers, passage.asked.url, passage.asked.ip),
      body: upload === null ? body : upload.body,
      signal: stop === null ? null : stop.signal,
    }
    const answer = tries === null ? fetch(url, init) : tries.send(init)
    let given: Response | null = null
    if (fresh !== null) {
      open.addFresh(fresh)
      given = await fresh.unlessItLasts(answer)
      open.deleteFresh(fresh)
    }
    given ??= await attended(answer, request, passage, stop, upload)
    const { status } = given
    // RFC 9110 §15: there is no such status, and no answer can be made with it.
    if (status > 599) throw new RangeError(`The origin answered ${status}`)
    const response = endToEnd(given, status, passage.isWrittenTo)
    const counts = upload === null && isSample(response, status)
    if (ticket?.isSettled === false) ticket.headers(passage.now(), counts)
    if (isWatched && counts && status < 500 && response.body !== null)
      return watched(request, response, passage)
    settle(passage, status >= 500 ? 'failed' : 'served')
    return response
  } catch (error) {
    if (fresh !== null) open.deleteFresh(fresh)
    const isClientGone = error === CLIENT_GONE || request.signal.aborted
    settle(passage, isClientGone ? 'abandoned' : 'failed')
    tries?.end(error === TOO_SLOW)
    if (isClientGone) return 'client-gone'
    return error === TOO_SLOW ? 'too-slow' : 'unreachable'
  }
}

const LENT = new LentRequest()

/** Behind held-up reports a request may hear seconds late that it lasts: with a short time-out it is not left to itself. */
const LEAST_TIMEOUT_LEFT_MS = 5000

// No errors: one that is made while a module loads has the whole script parsed again, for the sake of its stack.
const TOO_SLOW = Symbol('The origin took too long')
const CLIENT_GONE = Symbol('The client has left')

/**
 * The origin's answer; or an error, as soon as it is known that there is none. Somebody waits for it to the end, with a
 * clock and an ear for the client. Whatever the origin still answers is dropped by the runtime when the request's own
 * answer has gone out.
 */
async function attended(
  answer: Promise<Response>,
  { signal }: Request,
  { ticket, background, timeoutMs, openedAtMs, now, open }: Passage,
  stop: AbortController | null,
  upload: Upload | null,
): Promise<Response> {
  const none = Promise.withResolvers<never>()
  const over = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let isOver = false
  const startClock = (ms: number): void => {
    if (!isOver) timer = setTimeout(none.reject, ms, TOO_SLOW)
  }
  const clientGone = (): void => {
    none.reject(CLIENT_GONE)
    stop?.abort()
  }
  if (ticket !== null) open.addLasting(ticket)
  // A Worker's JavaScript stops when its client resets, unless something still waits for it.
  background.waitUntil(over.promise)
  if (signal.aborted) clientGone()
  else signal.addEventListener('abort', clientGone)
  if (upload === null) startClock(openedAtMs + timeoutMs - now())
  // A slow client is not a slow origin: a large upload must be there before the clock starts.
  else
    upload.sent.then(
      () => startClock(timeoutMs),
      () => (isOver ? upload.cut() : clientGone()),
    )
  try {
    return await Promise.race([answer, none.promise])
  } finally {
    isOver = true
    clearTimeout(timer)
    over.resolve()
  }
}

function settle({ ticket, open }: Passage, outcome: Outcome): void {
  if (ticket === null || ticket.isSettled) return
  ticket.settle(outcome)
  open.deleteLasting(ticket)
}

/** The same response, whose ticket is settled when its last byte has gone through. */
function watched(request: Request, response: Response, passage: Passage): Response {
  const { readable, writable } = passThrough(response.headers)
  const followed = response.body!.pipeTo(writable).then(
    () => {
      if (passage.ticket?.isSettled === false) passage.ticket.lastByte(passage.now())
      settle(passage, 'served')
    },
    // The client's leaving is known before the body ends for it; else it was the origin that broke off.
    () => settle(passage, request.signal.aborted ? 'abandoned' : 'failed'),
  )
  passage.background.waitUntil(followed)
  return new Response(readable, response)
}
