export type Outcome = 'served' | 'failed' | 'abandoned'

/** Where a request reports what became of it: the counters of its class. */
export interface OutcomeCounters {
  leave(serviceMs: number): void
  watched(lastByteMs: number): void
  close(outcome: Outcome, headersMs: number, isSample: boolean): void
}

/** What is admitted is settled exactly once: served, failed or abandoned. */
export class RequestRecord {
  readonly #tally: OutcomeCounters
  readonly #openedAtMs: number
  readonly #serviceMs: number
  /** Requests beside this one at its server, when it was opened. */
  readonly others: number
  #headersMs = -1
  #isSample = true
  #settled = false

  constructor(tally: OutcomeCounters, openedAtMs: number, serviceMs = 0, others = 0) {
    this.#tally = tally
    this.#openedAtMs = openedAtMs
    this.#serviceMs = serviceMs
    this.others = others
  }

  get isSettled(): boolean {
    return this.#settled
  }

  get openedAtMs(): number {
    return this.#openedAtMs
  }

  /** The response time, where it tells something of the origin. */
  get sampleMs(): number | null {
    return this.#isSample && this.#headersMs >= 0 ? this.#headersMs : null
  }

  /** The origin's headers are here: this is the response time that the learner sees. */
  headers(nowMs: number, isSample: boolean): void {
    // The client may have gone a moment before, or the ticket may have been given up as lost.
    if (this.#settled || this.#headersMs >= 0) return
    // From here on a slow client may hold the answer up, which is no work of the origin's.
    this.#tally.leave(this.#serviceMs)
    this.#headersMs = Math.max(0, nowMs - this.#openedAtMs)
    this.#isSample = isSample
  }

  lastByte(nowMs: number): void {
    if (!this.#settled) this.#tally.watched(Math.max(0, nowMs - this.#openedAtMs))
  }

  settle(outcome: Outcome): void {
    if (this.#settled) throw new Error('This ticket is settled already')
    this.#settled = true
    if (this.#headersMs < 0) this.#tally.leave(this.#serviceMs)
    this.#tally.close(outcome, this.#headersMs, this.#isSample)
  }

  /** For the places where two ends race, such as the client's reset and the origin's answer. */
  settleUnlessSettled(outcome: Outcome): void {
    if (!this.#settled) this.settle(outcome)
  }
}
