/** A time is stored for this long ahead, so that storage is not written with each report. */
const AHEAD_MS = 3_000

/**
 * Refuses copies of signed reports after a restart. A running relay knows the number of each report. A new one does not,
 * so it refuses whatever was signed before the last time that its predecessor stored. Senders lose some seconds at most.
 */
export class ReplayGuard {
  readonly #refusedUntilMs: number
  readonly #store: (untilMs: number) => void
  /** Every report so far was signed before this time. */
  #untilMs: number

  constructor(storedMs: number | null, store: (untilMs: number) => void) {
    this.#refusedUntilMs = storedMs ?? Number.NEGATIVE_INFINITY
    this.#untilMs = this.#refusedUntilMs
    this.#store = store
  }

  /** Can a report that was signed at this time not be a copy of one before the restart? */
  takes(signedAtMs: number): boolean {
    if (!(signedAtMs > this.#refusedUntilMs)) return false
    if (signedAtMs > this.#untilMs) {
      this.#untilMs = signedAtMs + AHEAD_MS
      this.#store(this.#untilMs)
    }
    return true
  }
}
