/** What becomes of a request at the origin. */
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
 * The requests under way, as columns: a number names a request from `open` to `close` and is used
 * again afterwards.
 */
export class Requests {
  sentMs = new Float64Array(256)
  /** Work that it brings: time that one server at normal speed needs. */
  ownMs = new Float64Array(256)
  /** Work that it brings to the station where it is now. */
  demandMs = new Float64Array(256)
  /** The origin's own: work left, and when it will be done as things stand. */
  leftMs = new Float64Array(256)
  doneMs = new Float64Array(256)
  /** When the client's patience ends; infinite for a patient one. */
  deadlineMs = new Float64Array(256)
  /** When the gate stops waiting for the origin. */
  timeoutMs = new Float64Array(256)
  /** The client's own number of who sent it. */
  visitor = new Int32Array(256)
  /** The same under every policy: by it an origin draws what else the request needs. */
  luck = new Int32Array(256)
  /** How far it has come on its way through several stations. */
  stop = new Uint8Array(256)
  tier = new Uint8Array(256)
  class = new Uint8Array(256)
  /** 1 once the client has gone and the origin does not know. */
  forsaken = new Uint8Array(256)
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
    this.forsaken[id] = 0
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
    this.forsaken = copied(new Uint8Array(length), this.forsaken)
  }
}

function copied<Column extends { set(from: ArrayLike<number>): void }>(
  to: Column,
  from: ArrayLike<number>,
): Column {
  to.set(from)
  return to
}
