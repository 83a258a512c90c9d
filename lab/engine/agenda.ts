/** A receiver of events. `kind` and `subject` are numbers that the actor chooses. */
export interface Actor {
  handle(kind: number, subject: number): void
}

/** Kinds of events that one actor may use. The actor and the kind share one integer. */
const KINDS = 16

/**
 * Future events: earliest first, equal times in the order in which they were scheduled. A binary
 * heap in typed arrays, so that an event needs no allocation.
 *
 * An event cannot be cancelled. An actor that no longer expects an event compares it with its own
 * state and ignores it.
 */
export class Agenda {
  readonly #actors: Actor[] = []
  #timeMs = new Float64Array(1024)
  #order = new Float64Array(1024)
  #what = new Int32Array(1024)
  #subject = new Int32Array(1024)
  #size = 0
  #scheduled = 0
  #nowMs = 0
  #interrupted = false

  get nowMs(): number {
    return this.#nowMs
  }

  /** Number of events scheduled so far. */
  get scheduled(): number {
    return this.#scheduled
  }

  /** Returns the actor's number, with which it schedules events for itself. */
  register(actor: Actor): number {
    return this.#actors.push(actor) - 1
  }

  schedule(atMs: number, actor: number, kind: number, subject: number): void {
    if (!(atMs >= this.#nowMs)) throw new RangeError(`event at ${atMs}, but it is ${this.#nowMs}`)
    if (this.#size === this.#timeMs.length) this.#grow()
    const order = this.#scheduled++
    let hole = this.#size++
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (this.#timeMs[parent]! <= atMs) break // scheduled earlier, so equal times stay in order
      this.#move(parent, hole)
      hole = parent
    }
    this.#timeMs[hole] = atMs
    this.#order[hole] = order
    this.#what[hole] = actor * KINDS + kind
    this.#subject[hole] = subject
  }

  /** Makes `runUntil` return after the current event, so that code outside the agenda can run. */
  interrupt(): void {
    this.#interrupted = true
  }

  /**
   * Runs all events up to and including `untilMs` and sets the time to `untilMs`. Returns false if
   * an event interrupted it; then call it again.
   */
  runUntil(untilMs: number): boolean {
    this.#interrupted = false
    while (this.#size > 0 && this.#timeMs[0]! <= untilMs) {
      this.#nowMs = this.#timeMs[0]!
      const what = this.#what[0]!
      const subject = this.#subject[0]!
      this.#removeFirst()
      this.#actors[(what / KINDS) | 0]!.handle(what % KINDS, subject)
      if (this.#interrupted) return false
    }
    this.#nowMs = untilMs
    return true
  }

  #removeFirst(): void {
    const last = --this.#size
    const timeMs = this.#timeMs[last]!
    const order = this.#order[last]!
    let hole = 0
    for (let child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && this.#isBefore(child + 1, child)) child++
      const childMs = this.#timeMs[child]!
      if (childMs > timeMs || (childMs === timeMs && this.#order[child]! > order)) break
      this.#move(child, hole)
      hole = child
    }
    this.#move(last, hole)
  }

  #isBefore(a: number, b: number): boolean {
    const aMs = this.#timeMs[a]!
    const bMs = this.#timeMs[b]!
    return aMs < bMs || (aMs === bMs && this.#order[a]! < this.#order[b]!)
  }

  #move(from: number, to: number): void {
    this.#timeMs[to] = this.#timeMs[from]!
    this.#order[to] = this.#order[from]!
    this.#what[to] = this.#what[from]!
    this.#subject[to] = this.#subject[from]!
  }

  #grow(): void {
    const length = 2 * this.#timeMs.length
    const timeMs = new Float64Array(length)
    const order = new Float64Array(length)
    const what = new Int32Array(length)
    const subject = new Int32Array(length)
    timeMs.set(this.#timeMs)
    order.set(this.#order)
    what.set(this.#what)
    subject.set(this.#subject)
    this.#timeMs = timeMs
    this.#order = order
    this.#what = what
    this.#subject = subject
  }
}
