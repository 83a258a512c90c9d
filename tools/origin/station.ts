/**
 * Servers with one queue, or with equal shares of the servers for all jobs inside. Time is an
 * argument. A server starts its next job at the exact end of the one before, not when a timer
 * fires. So the capacity is exact, however late the timers are.
 */

/** Service slows down when too much is inside: each job holds memory, a connection, often a lock. */
export interface Thrashing {
  /** Up to this many jobs inside there is none. */
  readonly above: number
  /** This many jobs more, and service takes twice as long. Above 0; `Infinity`: never. */
  readonly double: number
  /** The largest factor. A finite one lets an origin without new load recover. */
  readonly most: number
}

export interface StationOptions {
  readonly servers: number
  /**
   * `fifo`: a server serves one job at a time, in the order of arrival. `sharing`: all jobs are in
   * service, and each has at most one server for itself. @default 'fifo'
   */
  readonly discipline?: 'fifo' | 'sharing'
  /** @default none */
  readonly thrashing?: Thrashing
  /** A job that finds this many inside is turned away. @default no maximum */
  readonly room?: number
}

export interface StationChange {
  /** A server that leaves finishes its job first. */
  readonly servers?: number
  /** Speed of all servers: 1 is normal, 0 is a pause. */
  readonly speed?: number
}

export interface Completion<Tag> {
  readonly tag: Tag
  readonly queueMs: number
  readonly serviceMs: number
  readonly endedMs: number
}

interface Waiting<Tag> {
  readonly tag: Tag
  readonly demandMs: number
  readonly arrivedMs: number
}

interface InService<Tag> {
  readonly tag: Tag
  readonly queueMs: number
  readonly startedMs: number
  /** On the clock of the work that one job in service receives. */
  readonly endsAtWork: number
}

export class Station<Tag> {
  readonly #options: StationOptions
  readonly #waiting: Waiting<Tag>[] = []
  /** Earliest end first. All jobs in service progress equally, so their order never changes. */
  readonly #inService: InService<Tag>[] = []
  /** Ended, and not yet fetched with `advance()`. */
  #ended: Completion<Tag>[] = []
  #servers: number
  #speed = 1
  #nowMs = 0
  /** Work that a job in service since the start would have received by now. */
  #work = 0

  constructor(options: StationOptions) {
    this.#options = options
    this.#servers = options.servers
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get inFlight(): number {
    return this.#inService.length
  }

  /** When the next job ends; null while there is none, and during a pause. */
  get nextEndMs(): number | null {
    const ended = this.#ended[0]
    if (ended !== undefined) return ended.endedMs
    const endMs = this.#firstEndMs()
    return endMs < Number.POSITIVE_INFINITY ? endMs : null
  }

  /** False: the job is turned away, because too much is inside. */
  arrive(tag: Tag, demandMs: number, nowMs: number): boolean {
    this.#run(nowMs)
    if (this.#inside >= (this.#options.room ?? Number.POSITIVE_INFINITY)) return false
    this.#waiting.push({ tag, demandMs, arrivedMs: nowMs })
    this.#startNext(nowMs)
    return true
  }

  change({ servers, speed }: StationChange, nowMs: number): void {
    this.#run(nowMs)
    this.#servers = servers ?? this.#servers
    this.#speed = speed ?? this.#speed
    this.#startNext(nowMs)
  }

  /** All jobs that have ended by now and were not returned before, in the order of their ends. */
  advance(nowMs: number): Completion<Tag>[] {
    this.#run(nowMs)
    return this.#ended.splice(0)
  }

  /** Drops all jobs, waiting and in service, and returns their tags. */
  clear(): Tag[] {
    return [...this.#ended.splice(0), ...this.#inService.splice(0), ...this.#waiting.splice(0)].map(
      ({ tag }) => tag,
    )
  }

  get #inside(): number {
    return this.#inService.length + this.#waiting.length
  }

  get #isSharing(): boolean {
    return this.#options.discipline === 'sharing'
  }

  #run(nowMs: number): void {
    for (let endMs = this.#firstEndMs(); endMs <= nowMs; endMs = this.#firstEndMs()) {
      const { tag, queueMs, startedMs, endsAtWork } = this.#inService[0]!
      this.#nowMs = Math.max(this.#nowMs, endMs)
      this.#work = endsAtWork
      this.#inService.shift()
      this.#ended.push({ tag, queueMs, serviceMs: this.#nowMs - startedMs, endedMs: this.#nowMs })
      this.#startNext(this.#nowMs)
    }
    if (nowMs <= this.#nowMs) return
    if (this.#inService.length > 0) this.#work += (nowMs - this.#nowMs) * this.#pace()
    this.#nowMs = nowMs
  }

  #startNext(startedMs: number): void {
    const places = this.#isSharing ? Number.POSITIVE_INFINITY : this.#servers
    while (this.#waiting.length > 0 && this.#inService.length < places) {
      const { tag, demandMs, arrivedMs } = this.#waiting.shift()!
      // Alone, a job suffers from what is inside when it starts; with shares, the pace tells.
      const factor = this.#isSharing ? 1 : this.#slowdown(this.#inside + 1)
      const endsAtWork = this.#work + demandMs * factor
      const job = { tag, queueMs: startedMs - arrivedMs, startedMs, endsAtWork }
      // Of equal ends, the job that started first. A linear search is fine for a few hundred.
      const place = this.#inService.findLastIndex((other) => other.endsAtWork <= endsAtWork) + 1
      this.#inService.splice(place, 0, job)
    }
  }

  #firstEndMs(): number {
    const first = this.#inService[0]
    if (first === undefined) return Number.POSITIVE_INFINITY
    return this.#nowMs + Math.max(0, first.endsAtWork - this.#work) / this.#pace()
  }

  /** Work per millisecond that each job in service receives. */
  #pace(): number {
    if (!this.#isSharing) return this.#speed
    const share = Math.min(1, this.#servers / this.#inService.length)
    return (this.#speed * share) / this.#slowdown(this.#inService.length)
  }

  #slowdown(inside: number): number {
    const { thrashing } = this.#options
    if (thrashing === undefined) return 1
    const { above, double, most } = thrashing
    return Math.min(most, 1 + Math.max(0, inside - above) / double)
  }
}
