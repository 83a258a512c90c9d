/** More would cost throughput: following a body to its last byte costs a third of a proxy's. */
const MOST_PER_SECOND = 20
const EVERY_MS = 1000 / MOST_PER_SECOND
/** So many may be watched at once after a pause. */
const BURST = 8

/** Chooses whose last byte is watched: everyone's at low rates, a bounded number's at high ones, spread over time. */
export class Watch {
  /** Up to when what may be watched has been. */
  #usedToMs = Number.NEGATIVE_INFINITY

  next(nowMs: number): boolean {
    const usedToMs = Math.max(this.#usedToMs, nowMs - BURST * EVERY_MS)
    // The clock may have jumped back: then it is counted from here on.
    this.#usedToMs = Math.min(usedToMs, nowMs)
    if (this.#usedToMs + EVERY_MS > nowMs) return false
    this.#usedToMs += EVERY_MS
    return true
  }
}
