import { SERVICE_BUCKETS, serviceBucketMs, serviceBucketOf } from '../measure/service-buckets.ts'

/** Weight of older sizes at each new plan: about ten seconds of arrivals count. */
const DECAY = 0.9

/**
 * Small requests first within a class (Urgaonkar and Shenoy 2005, §3.1). If only a part p of a class's load is
 * admitted, it is the smallest requests that together make up this part. So the same load serves more requests, and
 * every refused request is larger than every admitted one.
 */
export class SmallFirst {
  readonly #arrived = new Float64Array(SERVICE_BUCKETS)
  readonly #probability = new Float64Array(SERVICE_BUCKETS).fill(1)

  /** Call this for each arrival of the class, admitted or not. */
  arrive(serviceMs: number): void {
    this.#arrived[serviceBucketOf(serviceMs)]! += 1
  }

  /** Call this with each new plan. `probability` is that of the class. */
  set(probability: number): void {
    const p = Math.min(1, Math.max(0, probability)) || 0
    let total = 0
    for (let bucket = 0; bucket < SERVICE_BUCKETS; bucket++) total += this.#load(bucket)
    let left = p * total
    for (let bucket = 0; bucket < SERVICE_BUCKETS; bucket++) {
      const load = this.#load(bucket)
      // A size without arrivals so far is admitted as long as some of the load is left.
      const part = load > 0 ? Math.min(1, left / load) : left > 0 ? 1 : 0
      this.#probability[bucket] = p >= 1 || total === 0 ? p : part
      left = Math.max(0, left - load)
      this.#arrived[bucket]! *= DECAY
    }
  }

  /** For a request of this size: 1 below the cut, between 0 and 1 at the cut, 0 above it. */
  probability(serviceMs: number): number {
    return this.#probability[serviceBucketOf(serviceMs)]!
  }

  #load(bucket: number): number {
    return this.#arrived[bucket]! * serviceBucketMs(bucket)
  }
}
