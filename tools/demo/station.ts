/**
 * A fixed number of servers behind one queue, first come, first served. Time is an argument. A
 * server starts its next job at the exact end of the one before, not when a timer fires. So the
 * capacity is exact, however late the timers are.
 */

export interface StationOptions {
  readonly servers: number
  /**
   * Number of waiting jobs at which service takes twice as long; `Infinity`: it never slows down.
   * Above 0.
   */
  readonly thrash: number
}

export interface Completion<Tag> {
  readonly tag: Tag
  readonly queueMs: number
  readonly serviceMs: number
  readonly endedMs: number
}

interface Job<Tag> {
  readonly tag: Tag
  readonly demandMs: number
  readonly arrivedMs: number
}

export class Station<Tag> {
  readonly #options: StationOptions
  readonly #waiting: Job<Tag>[] = []
  readonly #inFlight: Completion<Tag>[] = []

  constructor(options: StationOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get inFlight(): number {
    return this.#inFlight.length
  }

  /** When the next job in service ends; null while all servers are idle. */
  get nextEndMs(): number | null {
    return this.#inFlight[0]?.endedMs ?? null
  }

  arrive(tag: Tag, demandMs: number, nowMs: number): void {
    const job = { tag, demandMs, arrivedMs: nowMs }
    if (this.#inFlight.length < this.#options.servers) this.#start(job, nowMs)
    else this.#waiting.push(job)
  }

  /** All jobs that have ended by now, in the order of their ends. */
  advance(nowMs: number): Completion<Tag>[] {
    const ended: Completion<Tag>[] = []
    while (this.#inFlight.length > 0 && this.#inFlight[0]!.endedMs <= nowMs) {
      const completion = this.#inFlight.shift()!
      ended.push(completion)
      const next = this.#waiting.shift()
      if (next !== undefined) this.#start(next, Math.max(completion.endedMs, next.arrivedMs))
    }
    return ended
  }

  /** Drops all jobs, waiting and in service, and returns their tags. */
  clear(): Tag[] {
    const inFlight = this.#inFlight.splice(0)
    return [...inFlight, ...this.#waiting.splice(0)].map(({ tag }) => tag)
  }

  #start(job: Job<Tag>, startMs: number): void {
    const serviceMs = job.demandMs * this.#slowdown()
    const queueMs = startMs - job.arrivedMs
    const completion = { tag: job.tag, queueMs, serviceMs, endedMs: startMs + serviceMs }
    // Earliest end first; of equal ends, the job that started first. A linear search is fine for a
    // few servers.
    const place = this.#inFlight.findIndex(({ endedMs }) => endedMs > completion.endedMs)
    if (place === -1) this.#inFlight.push(completion)
    else this.#inFlight.splice(place, 0, completion)
  }

  /**
   * A real server is slower with a long queue: each waiting request holds memory, a connection and
   * often a lock, and switching between requests takes time. The factor is at most 2, so that an
   * origin without new load always recovers.
   */
  #slowdown(): number {
    return 1 + Math.min(1, this.#waiting.length / this.#options.thrash)
  }
}
