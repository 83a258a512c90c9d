import type { ClassCounters, Outcome } from './counters.ts'

/** A request that was told to watch itself, and does not do so after this long, was ended by the runtime. */
const DEAD_AFTER_MS = 500

interface Watch {
  readonly isClientGone: () => boolean
  readonly handOver: () => void
  /** NaN: not yet. */
  handedOverAtMs: number
}

/** A request in flight. It is settled exactly once: served, failed or abandoned. */
export class InFlightRequest {
  readonly openedAtMs: number
  /** Other requests in flight at the origin when this one began. */
  readonly others: number
  readonly #open: OpenRequests
  readonly #counters: ClassCounters
  readonly #serviceMs: number
  readonly #onClosed: ((isIgnored: boolean) => void) | null
  #headersMs = -1
  #isIgnored = false
  #cost = 1
  #isSettled = false
  #watch: Watch | null = null

  constructor(
    open: OpenRequests,
    counters: ClassCounters,
    openedAtMs: number,
    serviceMs: number,
    others: number,
    onClosed: ((isIgnored: boolean) => void) | null,
  ) {
    this.#open = open
    this.#counters = counters
    this.openedAtMs = openedAtMs
    this.#serviceMs = serviceMs
    this.others = others
    this.#onClosed = onClosed
  }

  /** The sweeps of `OpenRequests` watch this request. Resolves when it must watch itself. */
  watched(isClientGone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = { isClientGone, handOver: resolve, handedOverAtMs: Number.NaN }
    })
  }

  /** The request watches itself from now on. */
  unwatch(): void {
    this.#watch = null
  }

  /** Called by a sweep: settles the request if it cannot do so itself, or makes it watch itself. */
  check(nowMs: number, isYoung: boolean): void {
    const watch = this.#watch
    if (watch === null || this.#isSettled) return
    // When its client leaves, the runtime stops the JavaScript of a request, so it cannot settle itself.
    if (watch.isClientGone()) this.settle('abandoned')
    else if (nowMs >= watch.handedOverAtMs + DEAD_AFTER_MS) this.settle('abandoned', nowMs)
    else if (!isYoung && Number.isNaN(watch.handedOverAtMs)) {
      watch.handedOverAtMs = nowMs
      watch.handOver()
    }
  }

  /** The response time; null: none yet, or it says nothing about the origin. */
  get sampleMs(): number | null {
    return !this.#isIgnored && this.#headersMs >= 0 ? this.#headersMs : null
  }

  /** The origin has sent its headers. Their time is the response time that the learner sees. */
  headersReceived(nowMs: number, isSample: boolean): void {
    // The client may have left, or a sweep may have settled the request.
    if (this.#isSettled || this.#headersMs >= 0) return
    // From here on only a slow client can delay the answer, so the request is no longer in flight at the origin.
    this.#counters.leave(this.#serviceMs, nowMs)
    this.#headersMs = Math.max(0, nowMs - this.openedAtMs)
    this.#isIgnored = !isSample
  }

  /** What the answer costs, where 1 is the mean page; 0: it is light, so the learner ignores it. */
  counts(cost: number): void {
    this.#cost = cost
    if (cost === 0) this.#isIgnored = true
  }

  /**
   * `leftAtMs` is when the client left, if that is known. A client that leaves within the target has not waited for
   * a slow origin, so the request tells nothing.
   */
  settle(outcome: Outcome, leftAtMs = this.openedAtMs): void {
    if (this.#isSettled) throw new Error('This request is settled already')
    this.#isSettled = true
    if (this.#headersMs < 0)
      this.#counters.leave(this.#serviceMs, Math.max(this.openedAtMs, leftAtMs))
    const isIgnored =
      outcome === 'abandoned'
        ? leftAtMs - this.openedAtMs <= this.#counters.targetMs
        : this.#isIgnored && outcome === 'served'
    this.#counters.close(outcome, this.#headersMs, isIgnored, this.#cost)
    this.#onClosed?.(isIgnored)
    this.#open.delete(this)
  }

  /** For two events that race, such as the client's reset and the origin's answer. */
  settleUnlessSettled(outcome: Outcome, leftAtMs?: number): void {
    if (!this.#isSettled) this.settle(outcome, leftAtMs)
  }
}

/** The runtime ends a request that runs this much longer than its timeout, without any event. */
const LOST_AFTER_MS = 90_000

/** Most answers come within this time, so that most requests need no timer and no listener. */
const YOUNG_MS = 500

/**
 * The requests of this isolate in flight, oldest first. A timer, an abort listener and a promise in `waitUntil` cost
 * about a quarter of what proxying a request costs (`npm run bench -- proxying`). So a young request has none of them:
 * the sweeps behind the reports watch it, and when it gets older it must watch itself. docs/architecture.md shows the
 * states.
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

  /**
   * `serviceMs` is the expected service time, and `others` the other requests in flight, if costs are measured.
   * `onClosed` is told whether the request is ignored by the learner.
   */
  begin(
    counters: ClassCounters,
    nowMs: number,
    serviceMs = 0,
    others = 0,
    onClosed: ((isIgnored: boolean) => void) | null = null,
  ): InFlightRequest {
    counters.enter(serviceMs, nowMs)
    const request = new InFlightRequest(this, counters, nowMs, serviceMs, others, onClosed)
    this.#requests.add(request)
    return request
  }

  /** A request removes itself when it is settled. */
  delete(request: InFlightRequest): void {
    this.#requests.delete(request)
  }

  /** Checks requests that cannot watch themselves: young ones, and those that the runtime has ended. */
  sweep(nowMs: number): void {
    for (const request of this.#requests) {
      if (request.openedAtMs <= nowMs - this.#lostAfterMs)
        request.settleUnlessSettled('abandoned', nowMs)
      else request.check(nowMs, request.openedAtMs > nowMs - YOUNG_MS)
    }
  }

  /** There may be no sweep for a while, so every request must watch itself from now on. */
  handOverAll(nowMs: number): void {
    for (const request of this.#requests) request.check(nowMs, false)
  }
}
