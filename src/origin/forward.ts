import type { RequestView } from '../request/request-view.ts'
import type { Forwarded, NoAnswer } from './forwarded.ts'
import { outgoingRequest } from './forwarded-headers.ts'
import { largeUpload, type Upload } from './upload.ts'

export interface Destination {
  readonly url: string
  readonly timeoutMs: number
  /** Sends the request; `fetch`, or a pool's tries. */
  readonly send: (outgoing: Request, signal: AbortSignal | null) => Promise<Response>
}

/**
 * Sends a request to the origin and waits for the headers of its answer; bodies stream both ways. It ends when the
 * timeout is over, or when the client leaves. The caller must hold the result with `waitUntil`: the runtime stops the
 * JavaScript of a request whose client has left, unless something waits for it.
 */
export async function forward(view: RequestView, to: Destination): Promise<Forwarded> {
  const { request } = view
  const upload = largeUploadOf(request)
  const outgoing = outgoingRequest(view, to.url, upload?.body ?? null)
  // Only an upload needs to be stopped: the runtime drops the answer of a request that nobody waits for.
  const stop = upload === null ? null : new AbortController()
  const waiting = new Waiting(request.signal, to.timeoutMs, upload)
  try {
    const response = await Promise.race([to.send(outgoing, stop?.signal ?? null), waiting.end])
    if (typeof response === 'string') return { response: null, why: response }
    // RFC 9110 §15: there is no such status, and the runtime cannot send it.
    if (response.status > 599) return { response: null, why: 'unreachable' }
    return { response, isTimely: upload === null }
  } catch {
    return { response: null, why: request.signal.aborted ? 'client-gone' : 'unreachable' }
  } finally {
    waiting.stop()
    if (waiting.isOver) stop?.abort()
  }
}

function largeUploadOf(request: Request): Upload | null {
  const { method } = request
  const body = method === 'GET' || method === 'HEAD' ? null : request.body
  return body === null ? null : largeUpload(body, request.headers)
}

/** Ends the wait for an answer: by the timeout, or because the client leaves. */
class Waiting {
  /** Resolves when there is no use in waiting any longer. */
  readonly end: Promise<NoAnswer>
  isOver = false
  readonly #signal: AbortSignal
  #resolve!: (why: NoAnswer) => void
  #timer: ReturnType<typeof setTimeout> | null = null
  #isStopped = false

  constructor(signal: AbortSignal, timeoutMs: number, upload: Upload | null) {
    this.#signal = signal
    this.end = new Promise((resolve) => {
      this.#resolve = resolve
    })
    if (signal.aborted) this.#clientGone()
    else signal.addEventListener('abort', this.#clientGone)
    if (upload === null) this.#start(timeoutMs)
    // A slow client is not a slow origin: the clock starts when the origin has the whole upload.
    else
      upload.sent.then(
        () => this.#start(timeoutMs),
        () => (this.#isStopped ? upload.cut() : this.#clientGone()),
      )
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#clientGone)
  }

  #start(timeoutMs: number): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#over('too-slow'), timeoutMs)
  }

  readonly #clientGone = (): void => this.#over('client-gone')

  #over(why: NoAnswer): void {
    this.isOver = true
    this.#resolve(why)
  }
}
