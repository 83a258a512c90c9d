/** Counts the reports that visitors wait for, in the second that began with the first of them. */
export class AsksInASecond {
  #count = 0
  #sinceMs = Number.NEGATIVE_INFINITY

  get count(): number {
    return this.#count
  }

  add(nowMs: number): void {
    if (!(Math.abs(nowMs - this.#sinceMs) < 1000)) {
      this.#sinceMs = nowMs
      this.#count = 0
    }
    this.#count++
  }
}
