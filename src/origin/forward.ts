import type { Background } from '../lib/runtime.ts'
import { Fresh, type OpenRequests } from '../measure/open-requests.ts'
import type { Outcome, RequestRecord } from '../measure/request-record.ts'
import type { UrlParts } from '../request/url.ts'
import type { Failover } from './failover.ts'
import { countsAsSample, endToEnd, forwardedHeaders } from './forwarded-headers.ts'
import { AS_IT_IS, LentRequest } from './shared-request.ts'
import { largeUpload, passThrough, type Upload } from './upload.ts'

/** What the origin is asked. */
export interface Asked {
  readonly headers: Headers
  readonly url: Pick<UrlParts, 'authority' | 'isSecure'>
  readonly ip: string | null
}

/** One request's way to the origin and back. */
export interface Passage {
  readonly asked: Asked
  /** null: the origin is a single server. */
  readonly tries: Failover | null
  /** null: this request is not counted. */
  readonly ticket: RequestRecord | null
  readonly background: Background
  readonly timeoutMs: number
  readonly openedAtMs: number
  readonly open: OpenRequests
  /** Follow the body to its last byte? It costs throughput, so only some are. */
  readonly isWatched: boolean
  /** Is the answer to be written to? Then it is copied before anybody reads it. */
  readonly isWrittenTo: boolean
  now(): number
  /** What the client gets of an answer; `ours`: its headers, where we may write to them. */
  answered(response: Response, ours: Headers | null, nowMs: number): Response
  /** What the client gets instead of one. */
  unanswered(why: NoAnswer): Response
}

/** Why there is no answer. */
export type NoAnswer = 'unreachable' | 'too-slow' | 'client-gone'

/**
 * Sends a request to the origin, streaming both ways, and settles its ticket exactly once: when the headers
 * are here, at the last byte where it is watched, when it fails, or when the client goes away.
 */
export function forward(request: Request, url: string, passage: Passage): Promise<Response> {
  const { method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  const upload = body === null ? null : largeUpload(body, passage.asked.headers)
  const isLeft = passage.timeoutMs >= LEAST_TIMEOUT_LEFT_MS && !passage.isWatched
  // Two functions: what nearly all take is compiled without what few need.
  return isLeft && upload === null
    ? leave(request, method, url, passage, body)
    : watchOver(request, method, url, passage, upload === null ? body : upload.body, upload)
}

/** Until it lasts, the request is left to itself. */
async function leave(
  request: Request,
  method: string,
  url: string,
  passage: Passage,
  body: ReadableStream | null,
): Promise<Response> {
  const { open } = passage
  const fresh = new Fresh(request, passage.ticket, passage.openedAtMs)
  try {
    const answer = ask(method, url, passage, body, null)
    open.addFresh(fresh)
    const given = await fresh.unlessItLasts(answer)
    open.deleteFresh(fresh)
    return receive(given ?? (await attended(answer, request, passage, null, null)), passage)
  } catch (error) {
    open.deleteFresh(fresh)
    return fail(error, request, passage)
  }
}

/** Somebody looks after the request from its start: JavaScript holds a body of it, which it would have to stop. */
async function watchOver(
  request: Request,
  method: string,
  url: string,
  passage: Passage,
  body: ReadableStream | null,
  upload: Upload | null,
): Promise<Response> {
  const stop = passage.isWatched || upload !== null ? new AbortController() : null
  try {
    const answer = ask(method, url, passage, body, stop === null ? null : stop.signal)
    const given = await attended(answer, request, passage, stop, upload)
    return receive(given, passage, upload === null, passage.isWatched ? request : null)
  } catch (error) {
    return fail(error, request, passage)
  }
}

/** Only `fetch` itself may have what is lent: a second try would send what others ask by then. */
function ask(
  method: string,
  url: string,
  { asked, tries }: Passage,
  body: ReadableStream | null,
  signal: AbortSignal | null,
): Promise<Response> {
  if (method === 'GET' && tries === null && signal === null) {
    const lent = LENT.lend(asked.headers, asked.url)
    if (lent !== null) return fetch(url, lent)
  }
  const init: RequestInit = {
    ...AS_IT_IS,
    method,
    headers: forwardedHeaders(asked.headers, asked.url, asked.ip),
    body,
    signal,
  }
  return tries === null ? fetch(url, init) : tries.send(init)
}

/** The origin has answered. `isTimely`: its time tells of the origin; `watcher`: whose last byte is followed. */
function receive(
  given: Response,
  passage: Passage,
  isTimely = true,
  watcher: Request | null = null,
): Response {
  const { status } = given
  // RFC 9110 §15: there is no such status, and no answer can be made with it.
  if (status > 599) throw new RangeError(`The origin answered ${status}`)
  const nowMs = passage.now()
  const { ticket } = passage
  // Copied before anybody reads it: whose headers nobody has read, JavaScript never has to hold.
  const isOurs = passage.isWrittenTo && status !== 101
  const written = isOurs ? new Response(given.body, given) : given
  const { headers } = written
  const response = endToEnd(written, headers, status, isOurs)
  const counts = isTimely && countsAsSample(headers, status)
  if (ticket !== null && !ticket.isSettled) ticket.headers(nowMs, counts)
  if (watcher !== null && counts && status < 500 && response.body !== null) {
    const followed = watched(watcher, response, passage)
    return passage.answered(followed, followed.headers, nowMs)
  }
  settle(passage, status >= 500 ? 'failed' : 'served')
  return passage.answered(response, isOurs ? headers : null, nowMs)
}

function fail(error: unknown, request: Request, passage: Passage): Response {
  const isClientGone = error === CLIENT_GONE || request.signal.aborted
  settle(passage, isClientGone ? 'abandoned' : 'failed')
  passage.tries?.end(error === TOO_SLOW)
  const isTooSlow = error === TOO_SLOW
  const why = isClientGone ? 'client-gone' : isTooSlow ? 'too-slow' : 'unreachable'
  return passage.unanswered(why)
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
  passage: Passage,
  stop: AbortController | null,
  upload: Upload | null,
): Promise<Response> {
  const { ticket, background, timeoutMs, openedAtMs, open } = passage
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
  if (upload === null) startClock(openedAtMs + timeoutMs - passage.now())
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
