/** Outcomes of a request at the origin. */
export const SERVED = 0
export const FAILED = 1
export const ABANDONED = 2
export type Outcome = typeof SERVED | typeof FAILED | typeof ABANDONED

export interface Opening {
  readonly demandMs: number
  readonly visitor: number
  readonly tier: number
  readonly class: number
  readonly luck: number
}

/**
 * Requests in flight, stored as columns. A number identifies a request from `open` to `close`;
 * afterwards it is reused.
 */
export class Requests {
  sentMs = new Float64Array(256)
  /** Work that the request brings: the time that one server at normal speed needs. */
  ownMs = new Float64Array(256)
  /** Work that the request needs at its current station. */
  demandMs = new Float64Array(256)
  /** For the origin: the remaining work, and when it ends at the current speed. */
  leftMs = new Float64Array(256)
  doneMs = new Float64Array(256)
  /** When the client gives up; infinite if it never does. */
  deadlineMs = new Float64Array(256)
  /** When the gate stops waiting for the origin. */
  timeoutMs = new Float64Array(256)
  /** The client's own number for the visitor. */
  visitor = new Int32Array(256)
  /** The same under every policy. An origin uses it to draw whatever else the request needs. */
  luck = new Int32Array(256)
  /** Index of the current stop on a way through several stations. */
  stop = new Uint8Array(256)
  tier = new Uint8Array(256)
  class = new Uint8Array(256)
  /** 1 after the client has left without the origin's knowledge. */
  abandoned = new Uint8Array(256)
  #free: number[] = []
  #used = 0

  open(sentMs: number, { demandMs, visitor, tier, class: klass, luck }: Opening): number {
    const id = this.#free.pop() ?? this.#next()
    this.sentMs[id] = sentMs
    this.ownMs[id] = demandMs
    this.demandMs[id] = demandMs
    this.deadlineMs[id] = Number.POSITIVE_INFINITY
    this.timeoutMs[id] = Number.POSITIVE_INFINITY
    this.visitor[id] = visitor
    this.luck[id] = luck
    this.stop[id] = 0
    this.tier[id] = tier
    this.class[id] = klass
    this.abandoned[id] = 0
    return id
  }

  close(id: number): void {
    this.deadlineMs[id] = Number.NaN
    this.timeoutMs[id] = Number.NaN
    this.#free.push(id)
  }

  #next(): number {
    if (this.#used === this.sentMs.length) this.#grow()
    return this.#used++
  }

  #grow(): void {
    const length = 2 * this.sentMs.length
    this.sentMs = copied(new Float64Array(length), this.sentMs)
    this.demandMs = copied(new Float64Array(length), this.demandMs)
    this.ownMs = copied(new Float64Array(length), this.ownMs)
    this.leftMs = copied(new Float64Array(length), this.leftMs)
    this.doneMs = copied(new Float64Array(length), this.doneMs)
    this.deadlineMs = copied(new Float64Array(length), this.deadlineMs)
    this.timeoutMs = copied(new Float64Array(length), this.timeoutMs)
    this.visitor = copied(new Int32Array(length), this.visitor)
    this.luck = copied(new Int32Array(length), this.luck)
    this.stop = copied(new Uint8Array(length), this.stop)
    this.tier = copied(new Uint8Array(length), this.tier)
    this.class = copied(new Uint8Array(length), this.class)
    this.abandoned = copied(new Uint8Array(length), this.abandoned)
  }
}

function copied<Column extends { set(from: ArrayLike<number>): void }>(
  to: Column,
  from: ArrayLike<number>,
): Column {
  to.set(from)
  return to
}
