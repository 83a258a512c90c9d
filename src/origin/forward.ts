import type { Background } from '../lib/runtime.ts'
import type { RequestView } from '../request/request-view.ts'
import type { Forwarded, NoAnswer } from './forwarded.ts'
import { outgoingRequest } from './forwarded-headers.ts'
import type { Upload } from './upload.ts'

export interface Destination {
  readonly url: string
  readonly timeoutMs: number
  /** Headers that are not forwarded. */
  readonly dropped: readonly string[]
  /** The header `Tidegate-Quality`; absent: full quality. */
  readonly quality?: string | null
  /** Sends the request: `fetch`, or a failover. */
  readonly send: (outgoing: Request, signal: AbortSignal | null) => Promise<Response>
  readonly background: Background
  now(): number
  /** The origin has the whole upload: its time starts now. */
  uploaded(): void
}

/** A request that the isolate's sweeps can watch: see `InFlightRequest`. */
interface Sweepable {
  /** Resolves when the request must watch itself. */
  watched(isClientGone: () => boolean): Promise<void>
  unwatch(): void
}

/** With a shorter timeout a request watches itself from the start, because sweeps may be seconds apart. */
const LEAST_TIMEOUT_WATCHED_MS = 5000

/** What the origin gets as the body of a request: nothing, a whole body, or a large one that is still arriving. */
export type OutgoingBody = null | Uint8Array<ArrayBuffer> | Upload

/**
 * Sends a request to the origin and waits for the headers of its answer. Large bodies stream both ways. The wait ends
 * after the timeout, or when the client leaves. A large upload calls `begin` when the origin has all of it.
 */
export async function forward(
  view: RequestView,
  body: OutgoingBody,
  to: Destination,
  sweepable: Sweepable | null,
): Promise<Forwarded> {
  const { request } = view
  const upload = body === null || body instanceof Uint8Array ? null : body
  const startedAtMs = to.now()
  // Only an upload must be stopped. The runtime drops an answer that no code waits for.
  const stop = upload === null ? null : new AbortController()
  try {
    const outgoing = outgoingRequest(
      view,
      to.url,
      upload?.body ?? (body as Uint8Array<ArrayBuffer> | null),
      to.dropped,
    )
    if (to.quality) outgoing.headers.set('Tidegate-Quality', to.quality)
    const answer = to.send(outgoing, stop?.signal ?? null)
    if (sweepable !== null && upload === null && to.timeoutMs >= LEAST_TIMEOUT_WATCHED_MS) {
      const handedOver = sweepable.watched(() => request.signal.aborted)
      const response = await Promise.race([answer, handedOver])
      if (response) return answered(response, true)
      sweepable.unwatch()
    }
    const left = upload === null ? startedAtMs + to.timeoutMs - to.now() : to.timeoutMs
    const waiting = new Waiting(request.signal, left, upload, to)
    const response = await waiting.first(answer)
    if (typeof response !== 'string') return answered(response, upload === null)
    stop?.abort()
    upload?.cut()
    return { response: null, why: response }
  } catch (cause) {
    upload?.cut()
    return { response: null, why: reasonOf(cause, request), cause }
  }
}

/** The runtime throws a TypeError if it cannot send a request at all, and an Error if the connection fails. */
function reasonOf(error: unknown, { signal }: Request): NoAnswer {
  if (signal.aborted) return 'client-gone'
  return error instanceof TypeError ? 'unsendable' : 'unreachable'
}

function answered(response: Response, isTimely: boolean): Forwarded {
  // RFC 9110 §15 has no such status, and the runtime cannot send it.
  if (response.status > 599) return { response: null, why: 'unreachable' }
  return { response, isTimely }
}

/** A request that watches itself. The wait ends after the timeout, or when the client leaves. */
class Waiting {
  readonly #signal: AbortSignal
  readonly #end: Promise<NoAnswer>
  readonly #over: Promise<void>
  readonly #upload: Upload | null
  #giveUp!: (why: NoAnswer) => void
  #stop!: () => void
  #timer: ReturnType<typeof setTimeout> | null = null
  #isOver = false

  constructor(
    signal: AbortSignal,
    timeoutMs: number,
    upload: Upload | null,
    { background, uploaded }: Pick<Destination, 'background' | 'uploaded'>,
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
      void upload.sent.then((fault) => {
        if (this.#isOver) return fault === null ? undefined : upload.cut()
        if (fault !== null) return this.#giveUp(fault)
        uploaded()
        this.#start(timeoutMs)
      })
    this.#upload = upload
  }

  /** The answer, or why there is none. */
  async first(answer: Promise<Response>): Promise<Response | NoAnswer> {
    try {
      return await Promise.race([answer, this.#end])
    } finally {
      this.#isOver = true
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#upload?.unwatch()
      this.#signal.removeEventListener('abort', this.#clientGone)
      this.#stop()
    }
  }

  #start(timeoutMs: number): void {
    if (!this.#isOver) this.#timer = setTimeout(this.#giveUp, timeoutMs, 'too-slow')
  }

  readonly #clientGone = (): void => this.#giveUp('client-gone')
}
