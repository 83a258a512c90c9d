import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** Copies of a report come within this time. */
const KNOWN_FOR_MS = 3000

interface Answered {
  readonly seq: number
  readonly atMs: number
  readonly answer: Promise<ReportAnswer>
}

/**
 * The answers to the newest report of each sender, for a moment. A sender that gets no answer sends a copy, and must not be lent
 * a second time what it asked for once.
 */
export class AnswersOfLate {
  /** By sender. The newest comes last. */
  readonly #answered = new Map<string, Answered>()

  /** What the report of which this is a copy is answered; null: it is no copy. */
  toCopy({ sender, seq }: Feedback, nowMs: number): Promise<ReportAnswer> | null {
    this.#forget(nowMs)
    const known = this.#answered.get(sender)
    return known?.seq === seq ? known.answer : null
  }

  add({ sender, seq }: Feedback, answer: Promise<ReportAnswer>, nowMs: number): void {
    const known = this.#answered.get(sender)
    if (known !== undefined && known.seq > seq) return
    this.#answered.delete(sender)
    this.#answered.set(sender, { seq, atMs: nowMs, answer })
  }

  /** A clock may be set back. */
  #forget(nowMs: number): void {
    for (const [sender, { atMs }] of this.#answered) {
      if (Math.abs(nowMs - atMs) < KNOWN_FOR_MS) return
      this.#answered.delete(sender)
    }
  }
}
