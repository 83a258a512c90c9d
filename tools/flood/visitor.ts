import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { PAGE_HEADER, type PageKind } from '../demo/pages.ts'
import { CookieJar } from './cookies.ts'
import type { Arrival, Phase } from './crowd.ts'
import type { PageCounts } from './page-counts.ts'

/** State that all visitors of a run share. */
export interface FloodState {
  readonly counts: PageCounts
  readonly patienceMs: number
  readonly retry: boolean
  nowMs(): number
  /** null: the run is over, and visitors send no more requests. */
  phase(): Phase | null
  /** Takes a socket; false when all are in use. */
  takeSocket(): boolean
  freeSocket(): void
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  noteFailure(code: string): void
}

const PATHS: Readonly<Record<PageKind, readonly string[]>> = {
  home: ['/'],
  search: ['/search?q=rope', '/search?q=tide', '/search?q=lantern'],
  product: [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `/product/${id}`),
  cart: ['/cart?add=2', '/cart?add=5', '/cart?add=8'],
  checkout: ['/checkout'],
}

const MOST_RETRIES = 3

class GaveUp extends Error {
  readonly code = 'GAVE_UP'
}
// One error for all visitors: its stack is never read, and creating one is slow.
const GAVE_UP = new GaveUp('The visitor gave up')

/**
 * One session: pages with think times between them. It is also undici's handler for its own
 * requests, one at a time, so that a request allocates little.
 */
export class Visitor implements Dispatcher.DispatchHandler {
  readonly #flood: FloodState
  readonly #arrival: Arrival
  readonly #cookies = new CookieJar()
  #page = 0
  #retries = 0
  #phase: Phase = 'calm'
  #sentMs = 0
  #waiting = false
  #patience: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #isPage = false
  #retryAfterS = 0

  constructor(flood: FloodState, arrival: Arrival) {
    this.#flood = flood
    this.#arrival = arrival
  }

  ask(): void {
    const { counts, patienceMs } = this.#flood
    const phase = this.#flood.phase()
    if (phase === null) return
    const kind = this.#kind
    if (!this.#flood.takeSocket()) {
      counts.drop(phase, kind)
      return
    }
    counts.send(phase, kind)
    this.#phase = phase
    this.#waiting = true
    this.#sentMs = this.#flood.nowMs()
    this.#patience = setTimeout(giveUp, patienceMs, this)
    const paths = PATHS[kind]
    const path = paths[this.#page % paths.length]!
    const headers: Record<string, string> = { accept: 'text/html', 'user-agent': 'tidegate-flood' }
    if (this.#cookies.header !== undefined) headers.cookie = this.#cookies.header
    this.#flood.dispatch({ method: 'GET', path, headers }, this)
  }

  giveUp(): void {
    this.#settle()
    this.#flood.counts.lose(this.#phase, this.#kind, 'abandoned')
    this.#controller?.abort(GAVE_UP)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The visitor gave up while the request was waiting for its connection.
    if (!this.#waiting) controller.abort(GAVE_UP)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#isPage = status === 200 && headers[PAGE_HEADER] === this.#kind
    this.#retryAfterS = Number(headers['retry-after'] ?? 0)
    this.#cookies.store(headers['set-cookie'])
  }

  /** undici requires it; only the end of a body matters. */
  onResponseData(): void {}

  onResponseEnd(): void {
    if (!this.#waiting) return
    const ms = this.#flood.nowMs() - this.#sentMs
    this.#settle()
    const { counts } = this.#flood
    if (this.#isPage) {
      counts.serve(this.#phase, this.#kind, ms)
      this.#goOn()
    } else if (this.#status === 503 || this.#status === 429) {
      counts.lose(this.#phase, this.#kind, 'refused')
      this.#comeBack()
    } else this.#fail(`HTTP ${this.#status}`)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#waiting) return
    this.#settle()
    // After the end of the run an error is not the target's fault.
    if (this.#flood.phase() === null && 'code' in error && error.code === 'UND_ERR_DESTROYED')
      return
    this.#fail('code' in error ? String(error.code) : error.name)
  }

  get #kind(): PageKind {
    return this.#arrival.walk[this.#page]!
  }

  #settle(): void {
    this.#waiting = false
    clearTimeout(this.#patience)
    this.#flood.freeSocket()
  }

  #fail(code: string): void {
    this.#flood.counts.lose(this.#phase, this.#kind, 'failed')
    this.#flood.noteFailure(code)
  }

  #goOn(): void {
    const thinkMs = this.#arrival.thinkMs[this.#page]!
    this.#page++
    if (this.#page < this.#arrival.walk.length) setTimeout(ask, thinkMs, this).unref()
  }

  #comeBack(): void {
    if (!this.#flood.retry || this.#retries >= MOST_RETRIES || !(this.#retryAfterS > 0)) return
    this.#retries++
    setTimeout(ask, this.#retryAfterS * 1000, this).unref()
  }
}

function ask(visitor: Visitor): void {
  visitor.ask()
}

function giveUp(visitor: Visitor): void {
  visitor.giveUp()
}
