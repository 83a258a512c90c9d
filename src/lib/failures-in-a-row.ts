/** Several reports may be on their way in a second. Those that fail within this time count as one failure. */
const TOGETHER_MS = 900

/** Counts failed reports in a row so that the count stands for time, however often reports are sent. */
export class FailuresInARow {
  #count = 0
  #countedAtMs = Number.NEGATIVE_INFINITY

  get count(): number {
    return this.#count
  }

  add(nowMs: number): void {
    // A clock may be set back.
    if (this.#count > 0 && Math.abs(nowMs - this.#countedAtMs) < TOGETHER_MS) return
    this.#count++
    this.#countedAtMs = nowMs
  }

  over(): void {
    this.#count = 0
  }
}
