import type { ClassCounters, Outcome } from './counters.ts'

/** A request that was handed its watch and has not taken it after this long was ended by the runtime. */
const DEAD_AFTER_MS = 500

interface Watch {
  readonly isClientGone: () => boolean
  readonly hand: () => void
  /** NaN: not yet. */
  handedAtMs: number
}

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
  #watch: Watch | null = null

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

  /** Lets the sweeps of `OpenRequests` watch over this request. Resolves when it must watch over itself. */
  watched(isClientGone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = { isClientGone, hand: resolve, handedAtMs: Number.NaN }
    })
  }

  /** The request watches over itself, or needs no watch. */
  unwatch(): void {
    this.#watch = null
  }

  /** One look of a sweep: settles the request if nobody else can do so, or hands the watch over to it. */
  check(nowMs: number, isYoung: boolean): void {
    const watch = this.#watch
    if (watch === null || this.#isSettled) return
    // The runtime stops the JavaScript of a request whose client has left, so it cannot settle itself.
    if (watch.isClientGone() || nowMs >= watch.handedAtMs + DEAD_AFTER_MS) this.settle('abandoned')
    else if (!isYoung && Number.isNaN(watch.handedAtMs)) {
      watch.handedAtMs = nowMs
      watch.hand()
    }
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

/** Most answers come within this time, so that most requests need no timer and no listener of their own. */
const YOUNG_MS = 500

/**
 * The requests of this isolate that are at the origin, oldest first. A timer, an abort listener and a promise in
 * `waitUntil` cost a request about a quarter of what proxying it costs (`npm run bench -- proxying`). So a young request
 * has none of them: the sweeps behind the reports watch over it, and hand the watch over to it when it gets older.
 * docs/architecture.md has its states.
 */
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

  /** Looks after requests that cannot do so themselves: young ones, and those that the runtime has ended. */
  sweep(nowMs: number): void {
    for (const request of this.#requests) {
      if (request.openedAtMs <= nowMs - this.#lostAfterMs) request.settleUnlessSettled('abandoned')
      else request.check(nowMs, request.openedAtMs > nowMs - YOUNG_MS)
    }
  }

  /** No sweep may come for a while: every request watches over itself from here on. */
  handAll(nowMs: number): void {
    for (const request of this.#requests) request.check(nowMs, false)
  }
}
