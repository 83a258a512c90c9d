import type { Background } from '../lib/runtime.ts'
import type { RequestView } from '../request/request-view.ts'
import type { Forwarded, NoAnswer } from './forwarded.ts'
import { outgoingRequest } from './forwarded-headers.ts'
import { largeUpload, type Upload } from './upload.ts'

export interface Destination {
  readonly url: string
  readonly timeoutMs: number
  /** Headers that are not forwarded. */
  readonly dropped: readonly string[]
  /** Sends the request: `fetch`, or a failover. */
  readonly send: (outgoing: Request, signal: AbortSignal | null) => Promise<Response>
  readonly background: Background
  now(): number
}

/** A request that the isolate's sweeps can watch: see `InFlightRequest`. */
interface Sweepable {
  /** Resolves when the request must watch itself. */
  watched(isClientGone: () => boolean): Promise<void>
  unwatch(): void
}

/** With a shorter timeout a request watches itself from the start, because sweeps may be seconds apart. */
const LEAST_TIMEOUT_WATCHED_MS = 5000

/**
 * Sends a request to the origin and waits for the headers of its answer. Bodies stream both ways. The wait ends after
 * the timeout, or when the client leaves.
 */
export async function forward(
  view: RequestView,
  to: Destination,
  sweepable: Sweepable | null,
): Promise<Forwarded> {
  const { request } = view
  const upload = largeUploadOf(request)
  const startedAtMs = to.now()
  // Only an upload must be stopped. The runtime drops an answer that no code waits for.
  const stop = upload === null ? null : new AbortController()
  try {
    const outgoing = outgoingRequest(view, to.url, upload?.body ?? null, to.dropped)
    const answer = to.send(outgoing, stop?.signal ?? null)
    if (sweepable !== null && upload === null && to.timeoutMs >= LEAST_TIMEOUT_WATCHED_MS) {
      const handedOver = sweepable.watched(() => request.signal.aborted)
      const response = await Promise.race([answer, handedOver])
      if (response) return answered(response, true)
      sweepable.unwatch()
    }
    const left = upload === null ? startedAtMs + to.timeoutMs - to.now() : to.timeoutMs
    const waiting = new Waiting(request.signal, left, upload, to.background)
    const response = await waiting.first(answer)
    if (typeof response !== 'string') return answered(response, upload === null)
    stop?.abort()
    return { response: null, why: response }
  } catch {
    return { response: null, why: request.signal.aborted ? 'client-gone' : 'unreachable' }
  }
}

function answered(response: Response, isTimely: boolean): Forwarded {
  // RFC 9110 §15 has no such status, and the runtime cannot send it.
  if (response.status > 599) return { response: null, why: 'unreachable' }
  return { response, isTimely }
}

function largeUploadOf(request: Request): Upload | null {
  const { method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  return body === null ? null : largeUpload(body, request.headers)
}

/** A request that watches itself. The wait ends after the timeout, or when the client leaves. */
class Waiting {
  readonly #signal: AbortSignal
  readonly #end: Promise<NoAnswer>
  readonly #over: Promise<void>
  #giveUp!: (why: NoAnswer) => void
  #stop!: () => void
  #timer: ReturnType<typeof setTimeout> | null = null
  #isOver = false

  constructor(
    signal: AbortSignal,
    timeoutMs: number,
    upload: Upload | null,
    background: Background,
  ) {
    this.#signal = signal
    this.#end = new Promise((resolve) => {
      this.#giveUp = resolve
    })
    this.#over = new Promise((resolve) => {
      this.#stop = resolve
    })
    // When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it.
    background.waitUntil(this.#over)
    if (signal.aborted) this.#clientGone()
    else signal.addEventListener('abort', this.#clientGone)
    if (upload === null) this.#start(timeoutMs)
    // A slow client is not a slow origin: the timeout starts when the origin has the whole upload.
    else
      upload.sent.then(
        () => this.#start(timeoutMs),
        () => (this.#isOver ? upload.cut() : this.#clientGone()),
      )
  }

  /** The answer, or why there is none. */
  async first(answer: Promise<Response>): Promise<Response | NoAnswer> {
    try {
      return await Promise.race([answer, this.#end])
    } finally {
      this.#isOver = true
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#signal.removeEventListener('abort', this.#clientGone)
      this.#stop()
    }
  }

  #start(timeoutMs: number): void {
    if (!this.#isOver) this.#timer = setTimeout(this.#giveUp, timeoutMs, 'too-slow')
  }

  readonly #clientGone = (): void => this.#giveUp('client-gone')
}
