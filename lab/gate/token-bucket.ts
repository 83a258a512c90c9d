/** Lets in `rate` per second, and up to `depth` at once after a pause. */
export class TokenBucket {
  #rate = Number.POSITIVE_INFINITY
  #depth = 1
  #tokens = 1
  #filledMs = 0

  get rate(): number {
    return this.#rate
  }

  /** A new rate keeps the tokens that are there, as far as they fit. */
  set(rate: number, depth: number, nowMs: number): void {
    this.#fill(nowMs)
    if (this.#rate === Number.POSITIVE_INFINITY) this.#tokens = depth
    this.#rate = rate
    this.#depth = depth
    this.#tokens = Math.min(this.#tokens, depth)
  }

  take(nowMs: number): boolean {
    if (this.#rate === Number.POSITIVE_INFINITY) return true
    this.#fill(nowMs)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  #fill(nowMs: number): void {
    if (this.#rate < Number.POSITIVE_INFINITY) {
      const gained = (this.#rate * (nowMs - this.#filledMs)) / 1000
      this.#tokens = Math.min(this.#depth, this.#tokens + gained)
    }
    this.#filledMs = nowMs
  }
}
