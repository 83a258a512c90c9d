/** Counts over a sliding window in buckets; a bucket expires as a whole. */
export class TrailingCounts {
  readonly #bucketMs: number
  readonly #counts: Float64Array
  #newest = 0
  #total = 0

  constructor(buckets: number, bucketMs: number) {
    this.#counts = new Float64Array(buckets)
    this.#bucketMs = bucketMs
  }

  add(amount: number, nowMs: number): void {
    this.#advance(nowMs)
    this.#counts[this.#newest % this.#counts.length]! += amount
    this.#total += amount
  }

  /**
   * Moves one count from the bucket of an earlier time, which must not have expired, to the current
   * bucket.
   */
  moveOne(fromMs: number, nowMs: number): void {
    this.add(1, nowMs)
    this.#counts[Math.floor(fromMs / this.#bucketMs) % this.#counts.length]! -= 1
    this.#total--
  }

  /** Sum over all buckets, including the current one. */
  total(nowMs: number): number {
    this.#advance(nowMs)
    return this.#total
  }

  /** The full buckets, newest first, without the current one. */
  full(nowMs: number): number[] {
    this.#advance(nowMs)
    const { length } = this.#counts
    return Array.from({ length: length - 1 }, (_, i) => {
      const bucket = this.#newest - 1 - i
      return bucket < 0 ? 0 : this.#counts[bucket % length]!
    })
  }

  #advance(nowMs: number): void {
    const bucket = Math.floor(nowMs / this.#bucketMs)
    const { length } = this.#counts
    const stale = Math.min(bucket - this.#newest, length)
    for (let i = 1; i <= stale; i++) {
      const slot = (this.#newest + i) % length
      this.#total -= this.#counts[slot]!
      this.#counts[slot] = 0
    }
    this.#newest = Math.max(this.#newest, bucket)
  }
}
