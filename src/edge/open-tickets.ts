import type { Ticket } from './tallies.ts'

/** A fresh request that has neither ended nor said by then that it lasts has died with its client. */
const FRESH_DEAD_AFTER_MS = 2000
/** So long after its time-out a request is not under way: its end was lost. */
const LASTING_DEAD_AFTER_MS = 90_000

/**
 * The tickets of requests that are under way. To watch over a request costs as much as the gate's whole decision, so
 * a fresh one is left to itself: when its client leaves, the runtime ends it there and then, and nobody is told.
 */
export class OpenTickets {
  readonly #fresh = new Set<Ticket>()
  readonly #lasting = new Set<Ticket>()
  readonly #lastingDeadAfterMs: number

  constructor(longestTimeoutMs: number) {
    this.#lastingDeadAfterMs = longestTimeoutMs + LASTING_DEAD_AFTER_MS
  }

  get hasFresh(): boolean {
    return this.#fresh.size > 0
  }

  /** Nobody watches over it yet. */
  addFresh(ticket: Ticket): void {
    this.#fresh.add(ticket)
  }

  /** From here on somebody settles it, however it ends. */
  addLasting(ticket: Ticket): void {
    this.#fresh.delete(ticket)
    this.#lasting.add(ticket)
  }

  delete(ticket: Ticket): void {
    if (!this.#fresh.delete(ticket)) this.#lasting.delete(ticket)
  }

  /** Settles those whose end nobody saw. */
  sweep(nowMs: number): void {
    abandonOlder(this.#fresh, nowMs - FRESH_DEAD_AFTER_MS)
    abandonOlder(this.#lasting, nowMs - this.#lastingDeadAfterMs)
  }
}

/** They are in the order in which they came. */
function abandonOlder(tickets: Set<Ticket>, thanMs: number): void {
  for (const ticket of tickets) {
    if (ticket.openedAtMs > thanMs) return
    tickets.delete(ticket)
    ticket.settleUnlessSettled('abandoned')
  }
}
