/** A lease that was used shows in a report within this time of its end. */
const RETURN_SPARE_MS = 1500
/** An isolate that comes back after a silence asks for this time at the most. */
const LONGEST_TURN_S = 30

/** An isolate that reports. */
export interface Borrower {
  readonly sender: string
  /** Its part of the data centre's draws. */
  readonly part: number
  /** Its draws per second; null: a newborn. */
  readonly draws: number | null
  /** Draws per second of the data centre. @default as its part says */
  readonly allDraws?: number
  /** Does a draw wait for an admission? @default false */
  readonly wants?: boolean
  /** How many draws have asked the relay in this second. @default 0 */
  readonly asks?: number
}

interface LentLoad {
  readonly load: number
  readonly atMs: number
}

/** What the isolates of one data centre were lent since their last reports, and when they were answered. */
export class LentLoads {
  readonly #lent = new Map<string, LentLoad>()
  readonly #answeredAtMs = new Map<string, number>()

  add(sender: string, load: number, nowMs: number): void {
    this.#lent.set(sender, { load: load + (this.#lent.get(sender)?.load ?? 0), atMs: nowMs })
  }

  /** The sender has reported what it used. Returns what it was lent. */
  settle(sender: string): number {
    const lent = this.#lent.get(sender)?.load ?? 0
    this.#lent.delete(sender)
    return lent
  }

  /** The sender is answered. Returns the time since its last answer: who comes back seldom gets what is due for it. */
  nextTurnS(sender: string, nowMs: number): number {
    const sinceMs = nowMs - (this.#answeredAtMs.get(sender) ?? nowMs - 1000)
    this.#answeredAtMs.set(sender, nowMs)
    return Math.min(LONGEST_TURN_S, Math.max(0.1, sinceMs / 1000))
  }

  /** Returns what was lent for this time and never reported. */
  takeOverdue(leaseMs: number, nowMs: number): number {
    let overdue = 0
    for (const [sender, { load, atMs }] of this.#lent) {
      if (nowMs - atMs < leaseMs + RETURN_SPARE_MS) break
      this.#lent.delete(sender)
      overdue += load
    }
    for (const [sender, atMs] of this.#answeredAtMs)
      if (nowMs - atMs > LONGEST_TURN_S * 1000) this.#answeredAtMs.delete(sender)
    return overdue
  }
}
