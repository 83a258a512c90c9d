import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { PAGE_HEADER } from '../origin/page-header.ts'
import { CookieJar } from './cookies.ts'
import type { Page, Session } from './session.ts'

/** Outcome of a request that was not served. */
export type Loss = 'failed' | 'refused' | 'abandoned'

/** One request of a session, as the listener sees it. */
export interface PageRequest {
  readonly session: Session
  /** Index of its page in the session. */
  readonly page: number
  readonly sentMs: number
}

/** Is told what happens to the visitors. Each request sent is served or lost once. */
export interface CrowdListener {
  arrive(session: Session): void
  send(request: PageRequest): void
  /** Not sent, because the generator had no free socket. */
  drop(request: PageRequest): void
  serve(request: PageRequest, ms: number): void
  /** The answer was a waiting page, so the page was not requested yet. `isFirst`: for the first time. */
  wait?(request: PageRequest, isFirst: boolean): void
  /** A visitor who waited was served. */
  enter?(waitedMs: number): void
  /** `code`: for a failure, the error code or the status. */
  lose(request: PageRequest, loss: Loss, code: string): void
}

/** What a visitor does after a refusal. */
export interface RetryRule {
  /**
   * `told`: comes back after Retry-After. `impatient`: comes back after `pauseMs`, whatever it was
   * told, and also after an error or when it gave up.
   */
  readonly kind: 'never' | 'told' | 'impatient'
  readonly most: number
  /** For the impatient. @default 0 */
  readonly pauseMs?: number
}

/** State that all visitors of a run share. */
export interface CrowdState {
  readonly listener: CrowdListener
  readonly patienceMs: number
  readonly retry: RetryRule
  readonly userAgent: string
  nowMs(): number
  /** The run is over, and visitors send no more requests. */
  isOver(): boolean
  /** Takes a socket; false when all are in use. */
  takeSocket(): boolean
  freeSocket(): void
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
}

class GaveUp extends Error {
  readonly code = 'GAVE_UP'
}
// One error for all visitors: its stack is never read, and creating one is slow.
const GAVE_UP = new GaveUp('The visitor gave up')

/**
 * One session: pages with think times between them. It is also undici's handler for its own
 * requests, one at a time, so that a request allocates little.
 */
export class Visitor implements Dispatcher.DispatchHandler, PageRequest {
  readonly session: Session
  readonly #crowd: CrowdState
  readonly #cookies: CookieJar
  readonly #retries: number
  #page: number
  #sentMs = 0
  #waiting = false
  #patience: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #isPage = false
  #retryAfterS = 0
  #isWaitingPage = false
  /** Since when it sees the waiting page; null: it does not. */
  #waitsSinceMs: number | null = null

  /** `before`: the same visitor, whose last request was lost and may still have to end. */
  constructor(crowd: CrowdState, session: Session, before?: Visitor) {
    this.#crowd = crowd
    this.session = session
    this.#cookies = before === undefined ? new CookieJar() : before.#cookies
    this.#page = before?.page ?? 0
    this.#retries = before === undefined ? 0 : before.#retries + (before.#isWaitingPage ? 0 : 1)
    this.#waitsSinceMs = before === undefined ? null : before.#waitsSinceMs
  }

  get page(): number {
    return this.#page
  }

  get sentMs(): number {
    return this.#sentMs
  }

  ask(): void {
    const { listener, patienceMs, userAgent } = this.#crowd
    if (this.#crowd.isOver()) return
    this.#sentMs = this.#crowd.nowMs()
    if (!this.#crowd.takeSocket()) {
      listener.drop(this)
      return
    }
    listener.send(this)
    this.#waiting = true
    this.#controller = undefined
    this.#patience = setTimeout(giveUp, patienceMs, this)
    const headers: Record<string, string> = { accept: 'text/html', 'user-agent': userAgent }
    if (this.#cookies.header !== undefined) headers.cookie = this.#cookies.header
    this.#crowd.dispatch({ method: 'GET', path: this.#wanted.path, headers }, this)
  }

  giveUp(): void {
    this.#settle()
    this.#crowd.listener.lose(this, 'abandoned', '')
    this.#controller?.abort(GAVE_UP)
    this.#reload()
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
    const { kind, isUnmarked } = this.#wanted
    this.#isPage = isUnmarked
      ? status >= 200 && status < 300
      : status === 200 && headers[PAGE_HEADER] === kind
    this.#retryAfterS = Number(headers['retry-after'] ?? 0)
    this.#isWaitingPage = headers['tidegate-waiting'] !== undefined
    this.#cookies.store(headers['set-cookie'])
  }

  /** undici requires it; only the end of a body matters. */
  onResponseData(): void {}

  onResponseEnd(): void {
    if (!this.#waiting) return
    const ms = this.#crowd.nowMs() - this.#sentMs
    this.#settle()
    if (this.#isPage) {
      this.#entered()
      this.#crowd.listener.serve(this, ms)
      this.#goOn()
    } else if (this.#isWaitingPage) this.#wait()
    else if (this.#status === 503 || this.#status === 429) {
      this.#crowd.listener.lose(this, 'refused', '')
      this.#comeBack()
    } else this.#fail(`HTTP ${this.#status}`)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#waiting) return
    this.#settle()
    // After the end of the run an error is not the target's fault.
    if (this.#crowd.isOver() && 'code' in error && error.code === 'UND_ERR_DESTROYED') return
    this.#fail('code' in error ? String(error.code) : error.name)
  }

  get #wanted(): Page {
    return this.session.pages[this.#page]!
  }

  #settle(): void {
    this.#waiting = false
    clearTimeout(this.#patience)
    this.#crowd.freeSocket()
  }

  #fail(code: string): void {
    this.#crowd.listener.lose(this, 'failed', code)
    this.#reload()
  }

  #goOn(): void {
    const thinkMs = this.session.thinkMs[this.#page]!
    this.#page++
    if (this.#page < this.session.pages.length) setTimeout(ask, thinkMs, this).unref()
  }

  /** The waiting page refreshes itself, whatever the visitor does after a refusal. */
  #wait(): void {
    this.#crowd.listener.wait?.(this, this.#waitsSinceMs === null)
    this.#waitsSinceMs ??= this.#sentMs
    setTimeout(ask, this.#retryAfterS * 1000, new Visitor(this.#crowd, this.session, this)).unref()
  }

  #entered(): void {
    if (this.#waitsSinceMs === null) return
    this.#crowd.listener.enter?.(this.#crowd.nowMs() - this.#waitsSinceMs)
    this.#waitsSinceMs = null
  }

  #comeBack(): void {
    if (this.#crowd.retry.kind !== 'told') this.#reload()
    else if (this.#retryAfterS > 0) this.#retryAfter(this.#retryAfterS * 1000)
  }

  #reload(): void {
    const { kind, pauseMs = 0 } = this.#crowd.retry
    if (kind === 'impatient') this.#retryAfter(pauseMs)
  }

  #retryAfter(ms: number): void {
    if (this.#retries >= this.#crowd.retry.most) return
    setTimeout(ask, ms, new Visitor(this.#crowd, this.session, this)).unref()
  }
}

function ask(visitor: Visitor): void {
  visitor.ask()
}

function giveUp(visitor: Visitor): void {
  visitor.giveUp()
}
