/**
 * A clock further back than this was set anew; one less far back belongs to a request that began
 * earlier.
 */
const CLOCK_SET_BACK_MS = 5_000

/**
 * Tokens come at a rate up to a depth, and each admission takes some. Who leaves a reserve in the
 * bucket leaves it to those who need not: lesser classes name a larger reserve, and run dry first.
 *
 * A Worker's clock stands still between I/O, and requests that run side by side may see it jump
 * back by what the older one has waited: time already paid for is never paid again.
 */
export class TokenBucket {
  #level: number
  #rate = 0
  #depth: number
  #paidUntilMs: number

  /**
   * Empty unless told otherwise: a thousand isolates at birth must not bring a thousand full
   * buckets.
   */
  constructor(nowMs: number, level = 0) {
    this.#paidUntilMs = nowMs
    this.#level = level
    this.#depth = level
  }

  get level(): number {
    return this.#level
  }

  get rate(): number {
    return this.#rate
  }

  get depth(): number {
    return this.#depth
  }

  /**
   * Tokens per second, and the most that may gather. The time up to now is paid at the old rate.
   */
  set(rate: number, depth: number, nowMs: number): void {
    this.#refill(nowMs)
    this.#rate = rate > 0 ? rate : 0
    this.#depth = depth > 0 ? depth : 0
    this.#level = Math.min(this.#level, this.#depth)
  }

  /** Takes `cost` tokens if `reserve` tokens are left then. */
  take(cost: number, reserve: number, nowMs: number): boolean {
    this.#refill(nowMs)
    if (!(cost >= 0) || !(this.#level - cost >= reserve)) return false
    this.#level -= cost
    return true
  }

  #refill(nowMs: number): void {
    const elapsedMs = nowMs - this.#paidUntilMs
    if (elapsedMs > 0) {
      this.#level = Math.min(this.#depth, this.#level + (this.#rate * elapsedMs) / 1000)
      this.#paidUntilMs = nowMs
    } else if (elapsedMs < -CLOCK_SET_BACK_MS) {
      this.#paidUntilMs = nowMs
    }
  }
}
