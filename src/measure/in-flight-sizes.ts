import { SERVICE_BUCKETS, serviceBucketMs, serviceBucketOf } from './service-buckets.ts'

/** The requests of an isolate in flight by inherent service time: their number, and the largest. */
export class InFlightSizes {
  readonly #counts = new Int32Array(SERVICE_BUCKETS)
  #size = 0

  get size(): number {
    return this.#size
  }

  get longestMs(): number {
    for (let bucket = SERVICE_BUCKETS - 1; bucket >= 0; bucket--)
      if (this.#counts[bucket]! > 0) return serviceBucketMs(bucket)
    return 0
  }

  enter(serviceMs: number): void {
    this.#counts[serviceBucketOf(serviceMs)]! += 1
    this.#size++
  }

  /** `serviceMs` must be the same as in `enter`: the estimate may have changed meanwhile. */
  leave(serviceMs: number): void {
    const bucket = serviceBucketOf(serviceMs)
    if (this.#counts[bucket] === 0) return
    this.#counts[bucket]! -= 1
    this.#size--
  }
}
