import type { ClassCounters, Outcome } from './counters.ts'

/** A request at the origin. It is settled exactly once: served, failed or abandoned. */
export class InFlightRequest {
  readonly openedAtMs: number
  /** Requests beside this one at the origin when it was opened. */
  readonly others: number
  readonly #open: OpenRequests
  readonly #counters: ClassCounters
  readonly #serviceMs: number
  #headersMs = -1
  #isSample = true
  #isSettled = false

  constructor(
    open: OpenRequests,
    counters: ClassCounters,
    openedAtMs: number,
    serviceMs = 0,
    others = 0,
  ) {
    this.#open = open
    this.#counters = counters
    this.openedAtMs = openedAtMs
    this.#serviceMs = serviceMs
    this.others = others
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** The response time; null: none yet, or it says nothing about the origin. */
  get sampleMs(): number | null {
    return this.#isSample && this.#headersMs >= 0 ? this.#headersMs : null
  }

  /** The origin has sent its headers. Their time is the response time that the learner sees. */
  headersReceived(nowMs: number, isSample: boolean): void {
    // A request that the client has left, or that was given up as lost, is settled already.
    if (this.#isSettled || this.#headersMs >= 0) return
    // From here on only a slow client holds the answer up, so the origin's part ends here.
    this.#counters.leave(this.#serviceMs)
    this.#headersMs = Math.max(0, nowMs - this.openedAtMs)
    this.#isSample = isSample
  }

  settle(outcome: Outcome): void {
    if (this.#isSettled) throw new Error('This request is settled already')
    this.#isSettled = true
    if (this.#headersMs < 0) this.#counters.leave(this.#serviceMs)
    this.#counters.close(outcome, this.#headersMs, this.#isSample)
    this.#open.delete(this)
  }

  /** For places where two ends race, such as the client's reset and the origin's answer. */
  settleUnlessSettled(outcome: Outcome): void {
    if (!this.#isSettled) this.settle(outcome)
  }
}

/** The runtime ends a request that runs this much longer than its timeout, and does not say so. */
const LOST_AFTER_MS = 90_000

/** The requests of this isolate that are at the origin, oldest first. */
export class OpenRequests {
  readonly #requests = new Set<InFlightRequest>()
  readonly #lostAfterMs: number

  constructor(longestTimeoutMs: number) {
    this.#lostAfterMs = longestTimeoutMs + LOST_AFTER_MS
  }

  get size(): number {
    return this.#requests.size
  }

  /** `serviceMs` is the expected service time, and `others` are beside it, where request costs are kept. */
  begin(counters: ClassCounters, nowMs: number, serviceMs = 0, others = 0): InFlightRequest {
    counters.enter(serviceMs)
    const request = new InFlightRequest(this, counters, nowMs, serviceMs, others)
    this.#requests.add(request)
    return request
  }

  /** A request removes itself when it is settled. */
  delete(request: InFlightRequest): void {
    this.#requests.delete(request)
  }

  /** Settles requests that the runtime has ended without a word: they would count as in flight for good. */
  sweep(nowMs: number): void {
    for (const request of this.#requests) {
      if (request.openedAtMs > nowMs - this.#lostAfterMs) break
      request.settleUnlessSettled('abandoned')
    }
  }
}
