import { type NewDraws, rateAfter } from './sender-rate.ts'

/**
 * A sender reports at most a second after its next request. One that does not report for the time of so many requests, in ms at
 * one a second, has stopped, and the other senders get its share.
 */
const PAUSE_EVENTS_MS = 3000
/** A newborn counts as an average sender for this long. */
const NEWBORN_FOR_MS = 1500
/** A sender without a draw is a newborn if its report covers less than this. The next report covers 250 ms or more. */
export const NEWBORN_MS = 125

interface SenderDraws {
  /** Draws per second; null: a newborn, which had no time to draw. */
  readonly rate: number | null
  readonly reportedAtMs: number
  /** After this time without a report it is not expected any more. */
  readonly expectedMs: number
}

/** How much each sender draws under one limit. A sender's share is its part of all these draws. */
export class DrawRates {
  readonly #senders = new Map<string, SenderDraws>()

  add(sender: string, given: NewDraws, expectedMs: number, nowMs: number): void {
    const before = this.#senders.get(sender)?.rate ?? null
    const isNewborn = before === null && given.draws === 0 && given.lengthMs < NEWBORN_MS
    const rate = isNewborn ? null : rateAfter(before, given)
    this.#senders.set(sender, { rate, reportedAtMs: nowMs, expectedMs })
  }

  /** The same senders, of whose draws under another limit nothing is known yet. */
  withoutDraws(): DrawRates {
    const copy = new DrawRates()
    for (const [sender, known] of this.#senders) copy.#senders.set(sender, { ...known, rate: null })
    return copy
  }

  forget(sender: string): void {
    this.#senders.delete(sender)
  }

  /** Draws per second of a sender; null: it is not known, or a newborn. */
  of(sender: string): number | null {
    return this.#senders.get(sender)?.rate ?? null
  }

  /** The part of all draws that this sender makes. A newborn counts as one of average activity. */
  shareOf(sender: string, nowMs: number): number {
    const own = this.#senders.get(sender)
    if (!own) return 0
    const { total, average, alive } = this.#sums(nowMs)
    return total > 0 ? Math.min(1, (own.rate ?? average) / total) : 1 / Math.max(1, alive)
  }

  /** Draws per second of all senders. */
  all(nowMs: number): number {
    return this.#sums(nowMs).total
  }

  /** The share of a sender of average activity that is not here yet. */
  fairPart(nowMs: number): number {
    return 1 / (1 + this.#sums(nowMs).alive)
  }

  /** `alive`: how many senders there are; `total`: their draws per second, `average`: of one of them. */
  #sums(nowMs: number): { total: number; average: number; alive: number } {
    let sum = 0
    let measured = 0
    let newborns = 0
    for (const { rate, reportedAtMs, expectedMs } of this.#senders.values()) {
      const silentMs = nowMs - reportedAtMs
      if (rate === null) {
        if (silentMs < NEWBORN_FOR_MS) newborns++
      } else if (silentMs < expectedMs + PAUSE_EVENTS_MS / rate) {
        sum += rate
        measured++
      }
    }
    const average = measured > 0 ? sum / measured : 0
    return { total: sum + newborns * average, average, alive: measured + newborns }
  }
}
