import { partsOf } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'
import { SHARED } from '../protocol/plan-limits.ts'
import { DrawRates } from './draw-rates.ts'
import type { SenderCounts } from './sender-rate.ts'

/** The draws of all senders under each limit of an origin. */
export class OriginDraws {
  /** By the name of the limit. The shared one comes first. */
  readonly #rates = new Map([[SHARED, new DrawRates()]])

  /** These classes are limited by themselves: their draws are counted apart. */
  watch(own: readonly string[]): void {
    for (const key of this.#rates.keys())
      if (key !== SHARED && !own.includes(key)) this.#rates.delete(key)
    for (const key of own)
      if (!this.#rates.has(key)) this.#rates.set(key, this.of(SHARED).withoutDraws())
  }

  get limits(): readonly string[] {
    return [...this.#rates.keys()]
  }

  has(limit: string): boolean {
    return this.#rates.has(limit)
  }

  /** Under the limit with this name. One that is not watched has the draws of the shared one. */
  of(limit: string): DrawRates {
    return this.#rates.get(limit) ?? this.#rates.get(SHARED)!
  }

  add(
    { sender, asks }: Feedback,
    { draws, asked, lengthMs }: SenderCounts,
    expectedMs: number,
    nowMs: number,
  ): void {
    for (const [limit, rates] of this.#rates) {
      const given = {
        ...{ draws: draws.get(limit) ?? 0, lengthMs },
        asks: asks === true && asked === limit,
      }
      rates.add(sender, given, expectedMs, nowMs)
    }
  }

  forget(sender: string): void {
    for (const rates of this.#rates.values()) rates.forget(sender)
  }

  /** The sender's parts of the draws under all limits. */
  partsOf(sender: string, nowMs: number): ReturnType<typeof partsOf> {
    return partsOf(this.limits, (limit) => ({ share: this.of(limit).shareOf(sender, nowMs) }))
  }

  /** Draws per second of a sender, whatever their limits are. */
  rateOf(sender: string): number {
    let sum = 0
    for (const rates of this.#rates.values()) sum += rates.of(sender) ?? 0
    return sum
  }

  /** Its part of all draws. */
  shareOfAll(sender: string, nowMs: number): number {
    let [drawn, all] = [0, 0]
    for (const rates of this.#rates.values()) {
      const total = rates.all(nowMs)
      drawn += rates.shareOf(sender, nowMs) * total
      all += total
    }
    return all > 0 ? drawn / all : this.of(SHARED).shareOf(sender, nowMs)
  }
}
