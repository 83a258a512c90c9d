import type { QueuePlan } from '../../protocol/queue-plan.ts'
import { TokenBucket } from '../token-bucket.ts'
import { rangeOf, type WaitRange } from './wait-range.ts'

/** From this many entries per second, or if it sees nearly all visitors, an isolate spreads them. */
const SPREAD_FROM = 5
const NEARLY_ALL = 0.95
/**
 * The watermark keeps the rate. The bucket only spreads entries, so it is wider, and more so where the isolate's part of
 * the entries varies.
 */
const SPREAD_ALL = 1.05
const SPREAD_PART = 1.5
const LEAST_DEPTH = 3
const DEPTH_S = 0.25
const CHANCE_SIGMA = 2

/**
 * The waiting room of one class, by the plan in force. Tickets that were given within a second come back together, so a
 * bucket spreads their entries over the time that the limit needs for them.
 */
export class ClassRoom {
  readonly #entries: TokenBucket
  #isSpread = false
  #plan: QueuePlan | null = null

  constructor(nowMs: number) {
    this.#entries = new TokenBucket(nowMs)
  }

  follow(plan: QueuePlan | undefined, share: number, nowMs: number): void {
    this.#plan = plan ?? null
    const own = (plan?.limit ?? 0) * share
    const isAll = share >= NEARLY_ALL
    this.#isSpread = typeof plan?.limit === 'number' && (isAll || own >= SPREAD_FROM)
    const chance = isAll ? 0 : CHANCE_SIGMA * Math.sqrt(own)
    const depth = Math.max(LEAST_DEPTH, DEPTH_S * own) + chance
    this.#entries.set((isAll ? SPREAD_ALL : SPREAD_PART) * own, depth, nowMs)
  }

  /** May one more called ticket enter at this moment? If not, it keeps its turn. */
  takeEntry(nowMs: number): boolean {
    return !this.#isSpread || this.#entries.take(1, 0, nowMs)
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
