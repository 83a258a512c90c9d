/**
 * A fixed number of servers behind one queue, first come first served, as arithmetic: time is an
 * argument. A server takes its next job at the very moment when it ended the one before, not when a
 * timer got round to saying so; so the capacity is exact, however coarse or late the timers are.
 */

export interface StationOptions {
  readonly servers: number
  /** Jobs waiting at which service takes twice as long; `Infinity`: it never slows down. Above 0. */
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

  /** Everything that has ended by now, in the order in which it ended. */
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

  /** Forgets all jobs, waiting and in service, and returns their tags. */
  clear(): Tag[] {
    const inFlight = this.#inFlight.splice(0)
    return [...inFlight, ...this.#waiting.splice(0)].map(({ tag }) => tag)
  }

  #start(job: Job<Tag>, startMs: number): void {
    const serviceMs = job.demandMs * this.#slowdown()
    const queueMs = startMs - job.arrivedMs
    const completion = { tag: job.tag, queueMs, serviceMs, endedMs: startMs + serviceMs }
    // Earliest end first; of equal ends the one that started first. There are only a few servers.
    const place = this.#inFlight.findIndex(({ endedMs }) => endedMs > completion.endedMs)
    if (place === -1) this.#inFlight.push(completion)
    else this.#inFlight.splice(place, 0, completion)
  }

  /**
   * A real server with a long queue is slower than the same server without: each waiting request
   * holds memory, a connection and often a lock, and switching between them is work of its own. Twice
   * the time is the most, so that an origin that was left alone always recovers.
   */
  #slowdown(): number {
    return 1 + Math.min(1, this.#waiting.length / this.#options.thrash)
  }
}
