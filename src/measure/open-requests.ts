import type { RequestRecord } from './request-record.ts'

/** Most answers are here by then. */
const FRESH_MS = 500
/** Who has been told that it lasts, and is still fresh by then, has died. */
const DEAD_AFTER_MS = 500
/** So long after its time-out a request is not under way: its end was lost. */
const LASTING_DEAD_AFTER_MS = 90_000

/** A request that is left to itself until it is told that it lasts. */
export class Fresh {
  readonly ticket: RequestRecord | null
  readonly openedAtMs: number
  /** Its neighbours in the line of those under way. */
  older: Fresh | null = null
  newer: Fresh | null = null
  /** NaN: it has not been told. */
  toldAtMs = Number.NaN
  #request: Request | null
  #tell: (lasts: null) => void = IGNORE

  constructor(request: Request, ticket: RequestRecord | null, openedAtMs: number) {
    this.#request = request
    this.ticket = ticket
    this.openedAtMs = openedAtMs
  }

  /** Then the runtime has ended it, and complains about who would tell it anything. */
  get isClientGone(): boolean {
    return this.#request?.signal.aborted ?? false
  }

  /** null: it lasts. The promise is the request's own, so that it goes on there, whoever tells it. */
  unlessItLasts<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
    return new Promise((resolve, reject) => {
      this.#tell = resolve
      answer.then(resolve, reject)
    })
  }

  tell(nowMs: number): void {
    if (!Number.isNaN(this.toldAtMs)) return
    this.toldAtMs = nowMs
    this.#tell(null)
  }

  /** It holds on to nothing any more. */
  letGo(): void {
    this.older = this.newer = this.#request = null
    this.#tell = IGNORE
  }
}

const IGNORE = (): void => {}

/**
 * Those that are fresh, the oldest first. Links instead of a `Set`: tables that a `Set` has outgrown keep what was in
 * them alive until the whole heap is collected, here half of all requests with their headers.
 */
class Line {
  #oldest: Fresh | null = null
  #newest: Fresh | null = null

  get oldest(): Fresh | null {
    return this.#oldest
  }

  add(fresh: Fresh): void {
    fresh.older = this.#newest
    if (this.#newest === null) this.#oldest = fresh
    else this.#newest.newer = fresh
    this.#newest = fresh
  }

  /** Once it has left, nothing happens. */
  delete(fresh: Fresh): void {
    const { older, newer } = fresh
    if (older !== null) older.newer = newer
    else if (this.#oldest === fresh) this.#oldest = newer
    if (newer !== null) newer.older = older
    else if (this.#newest === fresh) this.#newest = older
    fresh.letGo()
  }
}

/**
 * The requests that are under way. To watch over one costs as much as the gate's whole decision, so a fresh one is
 * left to itself: when its client leaves, the runtime ends it there and then, and nobody is told. Behind a report those
 * that last are told so, and from then on look after themselves.
 */
export class OpenRequests {
  readonly #fresh = new Line()
  readonly #lasting = new Set<RequestRecord>()
  readonly #lastingDeadAfterMs: number

  constructor(longestTimeoutMs: number) {
    this.#lastingDeadAfterMs = longestTimeoutMs + LASTING_DEAD_AFTER_MS
  }

  get hasFresh(): boolean {
    return this.#fresh.oldest !== null
  }

  /** Nobody watches over it yet. */
  addFresh(fresh: Fresh): void {
    this.#fresh.add(fresh)
  }

  deleteFresh(fresh: Fresh): void {
    this.#fresh.delete(fresh)
  }

  /** Somebody settles it, however it ends. */
  addLasting(ticket: RequestRecord): void {
    this.#lasting.add(ticket)
  }

  deleteLasting(ticket: RequestRecord): void {
    if (this.#lasting.size > 0) this.#lasting.delete(ticket)
  }

  /** Tells those that last, and settles those whose end nobody saw. */
  sweep(nowMs: number): void {
    for (let fresh = this.#fresh.oldest, next: Fresh | null; fresh !== null; fresh = next) {
      next = fresh.newer
      if (fresh.openedAtMs > nowMs - FRESH_MS) break
      if (fresh.isClientGone || fresh.toldAtMs <= nowMs - DEAD_AFTER_MS) this.#giveUp(fresh)
      else fresh.tell(nowMs)
    }
    for (const ticket of this.#lasting) {
      if (ticket.openedAtMs > nowMs - this.#lastingDeadAfterMs) break
      this.#lasting.delete(ticket)
      ticket.settleUnlessSettled('abandoned')
    }
  }

  /** No sweep may come for a while: whoever is fresh has to look after itself. */
  tellAll(nowMs: number): void {
    for (let fresh = this.#fresh.oldest, next: Fresh | null; fresh !== null; fresh = next) {
      next = fresh.newer
      if (fresh.isClientGone) this.#giveUp(fresh)
      else fresh.tell(nowMs)
    }
  }

  #giveUp(fresh: Fresh): void {
    this.#fresh.delete(fresh)
    fresh.ticket?.settleUnlessSettled('abandoned')
  }
}
