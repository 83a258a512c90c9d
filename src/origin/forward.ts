import type { OpenTickets } from '../edge/open-tickets.ts'
import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { endToEnd, isSample } from './headers.ts'
import { largeUpload, passThrough, type Upload } from './pass-through.ts'
import type { Tries } from './tries.ts'

export interface Passage {
  /** null: the origin is a single server. */
  readonly tries: Tries | null
  /** null: this request is not counted. */
  readonly ticket: Ticket | null
  readonly background: Background
  readonly timeoutMs: number
  readonly now: () => number
  /** Follow the body to its last byte? It costs throughput, so only some are. */
  readonly isWatched: boolean
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
  headers: Headers,
  passage: Passage,
): Promise<Response | NoAnswer> {
  const { method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  const upload = body === null ? null : largeUpload(body, request.headers)
  const wait = new Wait(request, passage, upload)
  const { tries } = passage
  try {
    const init: RequestInit & { encodeResponseBody: 'manual' } = {
      method,
      headers,
      body: upload === null ? body : upload.body,
      redirect: 'manual',
      signal: wait.signal,
      // Bodies pass as they came: whoever follows one would else unpack it, and pack it anew.
      encodeResponseBody: 'manual',
    }
    const answer = tries === null ? fetch(url, init) : tries.send(init)
    const response = endToEnd(await wait.until(answer))
    const { status } = response
    // RFC 9110 §15: there is no such status, and no answer can be made with it.
    if (status > 599) throw new RangeError(`The origin answered ${status}`)
    const counts = upload === null && isSample(response)
    const { ticket } = passage
    if (ticket?.isSettled === false) ticket.headers(passage.now(), counts)
    if (passage.isWatched && counts && status < 500 && response.body !== null)
      return watched(request, response, passage)
    settle(passage, status >= 500 ? 'failed' : 'served')
    return response
  } catch (error) {
    const isClientGone = error === CLIENT_GONE || request.signal.aborted
    settle(passage, isClientGone ? 'abandoned' : 'failed')
    tries?.end(error === TOO_SLOW)
    if (isClientGone) return 'client-gone'
    return error === TOO_SLOW ? 'too-slow' : 'unreachable'
  } finally {
    wait.end()
  }
}

// No errors: one that is made while a module loads has the whole script parsed again, for the sake of its stack.
const TOO_SLOW = Symbol('The origin took too long')
const CLIENT_GONE = Symbol('The client has left')

const NOBODY_WAITS = (_reason: unknown): void => {}

/** Most answers are here by then. */
const FRESH_MS = 500

/**
 * The wait for the origin, and what may end it before the origin does. For half a second a request is left to
 * itself: a client who leaves takes it along. From then on, or from the start where JavaScript holds a body that
 * it would have to stop, somebody waits for it to the end. Whatever the origin still answers is dropped by the runtime
 * when the request's own answer has gone out.
 */
class Wait {
  readonly #request: Request
  readonly #passage: Passage
  readonly #upload: Upload | null
  readonly #stop: AbortController | null
  #fail = NOBODY_WAITS
  #lasting: PromiseWithResolvers<void> | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #isOver = false

  constructor(request: Request, passage: Passage, upload: Upload | null) {
    this.#request = request
    this.#passage = passage
    this.#upload = upload
    this.#stop = passage.isWatched || upload !== null ? new AbortController() : null
  }

  get signal(): AbortSignal | null {
    return this.#stop === null ? null : this.#stop.signal
  }

  /** The origin's answer; or the error, as soon as it is known that there is none. */
  until(answer: Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#fail = reject
      answer.then(resolve, reject)
      const { ticket, timeoutMs, open } = this.#passage
      if (this.#stop === null && timeoutMs > FRESH_MS) {
        if (ticket !== null) open.addFresh(ticket)
        this.#timer = setTimeout(goOn, FRESH_MS, this)
        return
      }
      this.#last()
      if (this.#upload === null) this.#startClock(timeoutMs)
      else this.#follow(this.#upload, timeoutMs)
    })
  }

  /** It has taken longer than most: from here on it is watched over. */
  goOn(): void {
    this.#last()
    this.#startClock(this.#passage.timeoutMs - FRESH_MS)
  }

  end(): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#lasting?.resolve()
  }

  #last(): void {
    const { ticket, background, open } = this.#passage
    if (ticket !== null) open.addLasting(ticket)
    // A Worker's JavaScript stops when its client resets, unless something still waits for it.
    this.#lasting = Promise.withResolvers()
    background.waitUntil(this.#lasting.promise)
    const { signal } = this.#request
    if (signal.aborted) this.#clientGone()
    else signal.addEventListener('abort', () => this.#clientGone())
  }

  #startClock(ms: number): void {
    if (!this.#isOver) this.#timer = setTimeout(this.#fail, ms, TOO_SLOW)
  }

  #clientGone(): void {
    this.#fail(CLIENT_GONE)
    this.#stop?.abort()
  }

  /** A slow client is not a slow origin: a large upload must be there before the clock starts. */
  #follow(upload: Upload, timeoutMs: number): void {
    upload.sent.then(
      () => this.#startClock(timeoutMs),
      () => (this.#isOver ? upload.cut() : this.#clientGone()),
    )
  }
}

/** One for all waits: the path of a request makes as few functions as it can. */
function goOn(wait: Wait): void {
  wait.goOn()
}

function settle({ ticket, open }: Passage, outcome: Outcome): void {
  if (ticket === null || ticket.isSettled) return
  ticket.settle(outcome)
  open.delete(ticket)
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
