import type { QueuePlan } from '../../protocol/queue-plan.ts'
import { rangeOf, type WaitRange } from './wait-range.ts'

/** The waiting room of one class, by the plan in force. */
export class ClassRoom {
  #plan: QueuePlan | null = null

  follow(plan: QueuePlan | undefined): void {
    this.#plan = plan ?? null
  }

  /** Does somebody wait, as far as the plan knows? Otherwise tickets are drawn like new visitors. */
  get isOpen(): boolean {
    return this.#plan !== null
  }

  /** May a new visitor be drawn? Only while nobody waits. */
  get isDirect(): boolean {
    return this.#plan?.isDirect ?? true
  }

  /** Tickets up to this key are let in. */
  get watermark(): number {
    return this.#plan?.watermark ?? 0
  }

  /** Reports count tickets in buckets of this many seconds. */
  get bucketS(): number {
    return this.#plan?.bucketS ?? 1
  }

  isCalled(keyS: number): boolean {
    return this.#plan !== null && keyS <= this.#plan.watermark
  }

  /** How many places are before this key. */
  aheadOf(keyS: number): number {
    return this.#plan === null ? 0 : interpolated(this.#plan.ahead, keyS)
  }

  /** When somebody with so many places before them enters, as a range of seconds from now. */
  waitOf(ahead: number): WaitRange {
    return rangeOf(ahead, this.#plan)
  }
}

/** From key, count, key, count, … Between two points, places are spread evenly. */
function interpolated(points: readonly number[], keyS: number): number {
  for (let i = 0; i < points.length; i += 2) {
    const toS = points[i]!
    const count = points[i + 1]!
    if (keyS > toS) continue
    if (i === 0) return count
    const fromS = points[i - 2]!
    const before = points[i - 1]!
    return before + ((count - before) * (keyS - fromS)) / (toS - fromS)
  }
  return points.at(-1) ?? 0
}
