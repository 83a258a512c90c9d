import { SERVICE_BUCKETS, serviceBucketMs, serviceBucketOf } from '../measure/service-buckets.ts'

/** What is remembered of the sizes before, at each new plan: about ten seconds' worth. */
const DECAY = 0.9

/**
 * Small requests first within a class (Cataclysm §3.1): of a class that may bring only a part p of
 * its load, the smallest requests are let in that together make up that part. So the same load
 * serves more requests, and all the refused are larger than all the admitted.
 */
export class SmallFirst {
  readonly #arrived = new Float64Array(SERVICE_BUCKETS)
  readonly #probability = new Float64Array(SERVICE_BUCKETS).fill(1)

  /** Each arrival of the class, whatever becomes of it. */
  arrive(serviceMs: number): void {
    this.#arrived[serviceBucketOf(serviceMs)]! += 1
  }

  /** With each new plan: `probability` is the class's. */
  set(probability: number): void {
    const p = Math.min(1, Math.max(0, probability)) || 0
    let total = 0
    for (let bucket = 0; bucket < SERVICE_BUCKETS; bucket++) total += this.#load(bucket)
    let left = p * total
    for (let bucket = 0; bucket < SERVICE_BUCKETS; bucket++) {
      const load = this.#load(bucket)
      // A size that nobody asked for yet is let in while room is left at it.
      const part = load > 0 ? Math.min(1, left / load) : left > 0 ? 1 : 0
      this.#probability[bucket] = p >= 1 || total === 0 ? p : part
      left = Math.max(0, left - load)
      this.#arrived[bucket]! *= DECAY
    }
  }

  /** For a request of this size: 1 below the cut, a part at the cut, 0 above it. */
  probability(serviceMs: number): number {
    return this.#probability[serviceBucketOf(serviceMs)]!
  }

  #load(bucket: number): number {
    return this.#arrived[bucket]! * serviceBucketMs(bucket)
  }
}
