/** More would cost throughput: following a body to its last byte halves a proxy's. */
const MOST_PER_SECOND = 20

/** Chooses whose last byte is watched: everyone's at low rates, a bounded number's at high ones. */
export class Watch {
  #second = -1
  #left = 0

  next(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#left = MOST_PER_SECOND
    }
    if (this.#left === 0) return false
    this.#left--
    return true
  }
}
