import { judgeBatches, type ServerLoad } from '../control/batch.ts'
import { SERVICE_BUCKETS, serviceBucketMs, serviceBucketOf } from '../control/service-buckets.ts'

/**
 * The queues of one isolate (Cataclysm §3.1 and Fig. 2): a class's requests wait for its next
 * processing instant, a multiple of its delay, and are judged together there, more important
 * classes first.
 *
 * Nothing here waits. A request asks when it is due, sleeps until then and calls `judge`: the first
 * one to wake settles all that are due.
 */
export class ClassQueues<Ticket> {
  readonly #classes: ClassQueue<Ticket>[]

  constructor(ranks: number) {
    this.#classes = Array.from({ length: ranks }, () => new ClassQueue<Ticket>())
  }

  /** How many wait. */
  get size(): number {
    return this.#classes.reduce((total, queue) => total + queue.size, 0)
  }

  /** Answers when the ticket is due. `rank` 0 is the most important class. */
  add(ticket: Ticket, rank: number, serviceMs: number, delayMs: number, nowMs: number): number {
    return this.#classes[rank]!.add(ticket, serviceBucketOf(serviceMs), delayMs, nowMs)
  }

  /** Settles every ticket whose class is due, once. */
  judge(
    load: ServerLoad,
    nowMs: number,
    settle: (ticket: Ticket, admitted: boolean) => void,
  ): void {
    const due = this.#classes.filter((queue) => queue.size > 0 && queue.dueMs <= nowMs)
    if (due.length === 0) return
    const batches = due.map((queue) => queue.take())
    const { admitted } = judgeBatches(load, batches)
    batches.forEach(({ buckets }, i) => {
      buckets.forEach(({ tickets }, j) => {
        tickets.forEach((ticket, place) => {
          settle(ticket, place < admitted[i]![j]!)
        })
      })
    })
  }
}

class ClassQueue<Ticket> {
  #buckets = new Map<number, Ticket[]>()
  #delayMs = 0
  size = 0
  dueMs = 0

  add(ticket: Ticket, bucket: number, delayMs: number, nowMs: number): number {
    if (this.size === 0) {
      this.#delayMs = delayMs
      this.dueMs = delayMs > 0 ? (Math.floor(nowMs / delayMs) + 1) * delayMs : nowMs
    }
    this.size++
    const tickets = this.#buckets.get(bucket)
    if (tickets) tickets.push(ticket)
    else this.#buckets.set(bucket, [ticket])
    return this.dueMs
  }

  take() {
    const buckets: { count: number; serviceMs: number; tickets: readonly Ticket[] }[] = []
    for (let bucket = 0; bucket < SERVICE_BUCKETS && this.#buckets.size > 0; bucket++) {
      const tickets = this.#buckets.get(bucket)
      if (!tickets) continue
      buckets.push({ count: tickets.length, serviceMs: serviceBucketMs(bucket), tickets })
      this.#buckets.delete(bucket)
    }
    this.size = 0
    return { delayMs: this.#delayMs, buckets }
  }
}
