import { serviceBucketMs, serviceBucketOf } from '../../measure/service-buckets.ts'
import { type ServerLoad, testBatches } from './batch-test.ts'

export type Settle<Waiting> = (request: Waiting, admitted: boolean) => void

/**
 * The queues of one isolate (Urgaonkar and Shenoy 2005, §3.1 and Fig. 2). A class's requests wait for its next
 * processing instant, which is a multiple of its delay. There they are tested together, more important classes first.
 *
 * While a class fails, requests of less important classes that are at least as large are refused untested. This applies
 * to waiting requests and to those that come within the next R_sla, because a place is taken for about that long. The
 * delays alone keep only a few places free for Gold, and in a random pause of Gold, Silver would take even these.
 *
 * Nothing here waits. `add` returns when a request is due; the request sleeps until then and calls `judge`. The first
 * request to wake settles all that are due.
 */
export class ClassQueues<Waiting> {
  readonly #classes: readonly ClassQueue<Waiting>[]

  constructor(ranks: number) {
    this.#classes = Array.from({ length: ranks }, () => new ClassQueue<Waiting>())
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#classes.reduce((total, queue) => total + queue.size, 0)
  }

  /**
   * Returns the time when the request is due. `rank` 0 is the most important class. `waitedMs`: a request that comes
   * back after a failed test has waited before.
   */
  add(
    request: Waiting,
    rank: number,
    serviceMs: number,
    delayMs: number,
    nowMs: number,
    waitedMs = 0,
  ): number {
    return this.#classes[rank]!.add(request, serviceBucketOf(serviceMs), delayMs, nowMs, waitedMs)
  }

  /** Removes a request after its client has left. Rank and service time are those of `add`. */
  remove(request: Waiting, rank: number, serviceMs: number): void {
    this.#classes[rank]!.remove(request, serviceBucketOf(serviceMs))
  }

  judge(load: ServerLoad, nowMs: number, settle: Settle<Waiting>): void {
    const due = this.#classes.filter((queue) => queue.size > 0 && queue.dueMs <= nowMs)
    if (due.length === 0) return
    this.#refuseBelowFailed(nowMs, settle)
    const batches = due.map((queue) => queue.take())
    const { admitted, failedMs } = testBatches(load, batches)
    for (const [i, { buckets }] of batches.entries()) {
      for (const [j, { requests }] of buckets.entries())
        for (const [place, request] of requests.entries()) settle(request, place < admitted[i]![j]!)
      if (failedMs[i]! < Number.POSITIVE_INFINITY)
        due[i]!.fail(serviceBucketOf(failedMs[i]!), nowMs + load.targetMs, nowMs)
    }
    this.#refuseBelowFailed(nowMs, settle)
  }

  #refuseBelowFailed(nowMs: number, settle: Settle<Waiting>): void {
    let failedBucket = Number.POSITIVE_INFINITY
    for (const queue of this.#classes) {
      if (queue.size > 0 && failedBucket < Number.POSITIVE_INFINITY)
        for (const { requests } of queue.take(failedBucket).buckets)
          for (const request of requests) settle(request, false)
      failedBucket = Math.min(failedBucket, queue.failedBucketAt(nowMs))
    }
  }
}

class ClassQueue<Waiting> {
  readonly #buckets = new Map<number, Waiting[]>()
  #delayMs = 0
  #failedBucket = 0
  #failsUntilMs = Number.NEGATIVE_INFINITY
  size = 0
  dueMs = 0

  add(request: Waiting, bucket: number, delayMs: number, nowMs: number, waitedMs: number): number {
    if (this.size === 0) {
      this.#delayMs = 0
      this.dueMs = delayMs > 0 ? (Math.floor(nowMs / delayMs) + 1) * delayMs : nowMs
    }
    // The test must leave time for the longest wait in the queue.
    this.#delayMs = Math.max(this.#delayMs, waitedMs + delayMs)
    this.size++
    const requests = this.#buckets.get(bucket)
    if (requests) requests.push(request)
    else this.#buckets.set(bucket, [request])
    return this.dueMs
  }

  remove(request: Waiting, bucket: number): void {
    const requests = this.#buckets.get(bucket) ?? []
    const place = requests.indexOf(request)
    if (place < 0) return
    requests.splice(place, 1)
    if (requests.length === 0) this.#buckets.delete(bucket)
    this.size--
  }

  /** Removes and returns all requests in this bucket and above it, smallest first. */
  take(fromBucket = 0) {
    const taken = [...this.#buckets.keys()].filter((bucket) => bucket >= fromBucket)
    const buckets = taken
      .sort((a, b) => a - b)
      .map((bucket) => {
        const requests = this.#buckets.get(bucket)!
        this.#buckets.delete(bucket)
        this.size -= requests.length
        return { count: requests.length, serviceMs: serviceBucketMs(bucket), requests }
      })
    return { delayMs: this.#delayMs, buckets }
  }

  fail(bucket: number, untilMs: number, nowMs: number): void {
    // The smallest failed bucket counts.
    if (bucket > this.failedBucketAt(nowMs)) return
    this.#failedBucket = bucket
    this.#failsUntilMs = untilMs
  }

  /** The smallest bucket that failed recently; infinite: none failed. */
  failedBucketAt(nowMs: number): number {
    return nowMs < this.#failsUntilMs ? this.#failedBucket : Number.POSITIVE_INFINITY
  }
}
