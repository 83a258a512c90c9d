import type { Background } from '../edge/rim.ts'
import type { Outcome, Ticket } from '../edge/tallies.ts'
import { endToEnd, isSample } from './headers.ts'
import { largeUpload, passThrough, type Upload } from './pass-through.ts'

export interface Passage {
  /** null: this request is not counted. */
  readonly ticket: Ticket | null
  readonly background: Background
  readonly timeoutMs: number
  readonly now: () => number
  /** Follow the body to its last byte? It costs throughput, so only some are. */
  readonly isWatched: boolean
  readonly onSettled: (ticket: Ticket) => void
}

export type Forwarded =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'unreachable' | 'too-slow' | 'client-gone' }

/**
 * Sends a request to the origin, streaming both ways, and settles its ticket exactly once: when the headers
 * are here, at the last byte where it is watched, when it fails, or when the client goes away.
 */
export function forward(
  request: Request,
  url: string,
  headers: Headers,
  passage: Passage,
): Promise<Forwarded> {
  const crossing = cross(request, url, headers, passage)
  // A Worker's JavaScript stops when its client resets, unless something still waits for it.
  passage.background.waitUntil(crossing)
  return crossing
}

async function cross(
  request: Request,
  url: string,
  headers: Headers,
  passage: Passage,
): Promise<Forwarded> {
  const { method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  const upload = body === null ? null : largeUpload(body, request.headers)
  const wait = new Wait(request, passage, upload)
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
    const response = endToEnd(await Promise.race([fetch(url, init), wait.over]))
    const { status } = response
    // RFC 9110 §15: there is no such status, and no answer can be made with it.
    if (status > 599) throw new RangeError(`The origin answered ${status}`)
    const counts = upload === null && isSample(response)
    const { ticket } = passage
    if (ticket?.isSettled === false) ticket.headers(passage.now(), counts)
    if (passage.isWatched && counts && status < 500 && response.body !== null)
      return { kind: 'answered', response: watched(request, response, passage) }
    settle(passage, status >= 500 ? 'failed' : 'served')
    return { kind: 'answered', response }
  } catch (error) {
    const isClientGone = error === CLIENT_GONE || request.signal.aborted
    settle(passage, isClientGone ? 'abandoned' : 'failed')
    if (isClientGone) return { kind: 'client-gone' }
    return { kind: error === TOO_SLOW ? 'too-slow' : 'unreachable' }
  } finally {
    wait.end()
  }
}

const TOO_SLOW = new Error('The origin took too long')
const CLIENT_GONE = new Error('The client has left')

/**
 * What may end the wait for the origin before it answers. Whoever loses the race is dropped by the runtime when
 * the request's own answer has gone out. Only where JavaScript still holds a body then, it must be stopped.
 */
class Wait {
  readonly over: Promise<never>
  readonly #stop: AbortController | null
  readonly #end: (reason: Error) => void
  readonly #timeoutMs: number
  #timer: ReturnType<typeof setTimeout> | null = null
  #isOver = false

  constructor(request: Request, { timeoutMs, isWatched }: Passage, upload: Upload | null) {
    const { promise, reject } = Promise.withResolvers<never>()
    this.over = promise
    this.#end = reject
    this.#timeoutMs = timeoutMs
    this.#stop = isWatched || upload !== null ? new AbortController() : null
    request.signal.addEventListener('abort', () => this.#clientGone())
    if (upload === null) this.#startClock()
    else this.#follow(upload)
  }

  get signal(): AbortSignal | null {
    return this.#stop === null ? null : this.#stop.signal
  }

  end(): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #startClock(): void {
    if (!this.#isOver) this.#timer = setTimeout(this.#end, this.#timeoutMs, TOO_SLOW)
  }

  #clientGone(): void {
    this.#end(CLIENT_GONE)
    this.#stop?.abort()
  }

  /** A slow client is not a slow origin: a large upload must be there before the clock starts. */
  #follow(upload: Upload): void {
    upload.sent.then(
      () => this.#startClock(),
      () => (this.#isOver ? upload.cut() : this.#clientGone()),
    )
  }
}

function settle({ ticket, onSettled }: Passage, outcome: Outcome): void {
  if (ticket === null || ticket.isSettled) return
  ticket.settle(outcome)
  onSettled(ticket)
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
