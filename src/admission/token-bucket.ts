/** If the clock goes back further than this, it was reset. If it goes back less, an older request has read it. */
const CLOCK_SET_BACK_MS = 5_000

/**
 * Tokens are added at a rate up to a depth, and each admission takes some. A less important class must leave a larger
 * reserve in the bucket, so it is refused first.
 *
 * A Worker's clock stands still between I/O, and concurrent requests may see it jump back by the time that the older
 * one has waited. Tokens for the same time are never added twice.
 */
export class TokenBucket {
  #level: number
  #rate = 0
  #depth: number
  #filledUntilMs: number

  /** Empty by default: a thousand new isolates must not bring a thousand full buckets. */
  constructor(nowMs: number, level = 0) {
    this.#filledUntilMs = nowMs
    this.#level = level
    this.#depth = level
  }

  get rate(): number {
    return this.#rate
  }

  get depth(): number {
    return this.#depth
  }

  /** `rate` is in tokens per second. For the time up to now, tokens are added at the old rate. */
  set(rate: number, depth: number, nowMs: number): void {
    this.#refill(nowMs)
    this.#rate = rate > 0 ? rate : 0
    this.#depth = depth > 0 ? depth : 0
    this.#level = Math.min(this.#level, this.#depth)
  }

  /** Makes sure that there are at least `level` tokens. */
  fill(level = this.#depth): void {
    this.#level = Math.max(this.#level, Math.min(level, this.#depth))
  }

  /** The part of the depth that is filled. */
  fullness(nowMs: number): number {
    this.#refill(nowMs)
    return this.#depth > 0 ? Math.max(0, this.#level / this.#depth) : 0
  }

  /** Takes `cost` tokens if at least `reserve` tokens are left afterwards. */
  take(cost: number, reserve: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (!(cost >= 0) || !(this.#level - cost >= reserve)) return false
    this.#level -= cost
    return true
  }

  /**
   * Takes `cost` tokens if at least `least` more than `reserve` are there, and may leave fewer than none. So what costs more is
   * admitted as often as what costs less. A nearly empty bucket would otherwise let in only what is cheap.
   */
  takeOnCredit(cost: number, least: number, reserve: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (!(cost >= 0) || !(this.#level - least >= reserve)) return false
    this.#level -= cost
    return true
  }

  #refill(nowMs: number): void {
    const elapsedMs = nowMs - this.#filledUntilMs
    if (elapsedMs > 0) {
      this.#level = Math.min(this.#depth, this.#level + (this.#rate * elapsedMs) / 1000)
      this.#filledUntilMs = nowMs
    } else if (elapsedMs < -CLOCK_SET_BACK_MS) {
      this.#filledUntilMs = nowMs
    }
  }
}
