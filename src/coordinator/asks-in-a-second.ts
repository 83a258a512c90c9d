/** Counts the reports that visitors wait for, in the second that began with the first of them. */
export class AsksInASecond {
  #count = 0
  #sinceMs = Number.NEGATIVE_INFINITY

  /** 0 after the second: isolates that were kept from asking may ask again. */
  countAt(nowMs: number): number {
    return Math.abs(nowMs - this.#sinceMs) < 1000 ? this.#count : 0
  }

  add(nowMs: number): void {
    const count = this.countAt(nowMs)
    if (count === 0) this.#sinceMs = nowMs
    this.#count = count + 1
  }
}
