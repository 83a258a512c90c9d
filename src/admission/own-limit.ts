import type { OwnLimitPlan, Plan } from '../protocol/plan.ts'
import type { ClassState } from './class-state.ts'
import { RateShare } from './rate-share.ts'

/** The limit of a class that is limited by itself, and this isolate's share of it. */
export class OwnLimit {
  readonly #rateShare: RateShare
  #cap: number | null = null

  constructor(nowMs: number) {
    this.#rateShare = new RateShare(nowMs)
  }

  follow(
    { drawLimit, inFlightCap, burst }: OwnLimitPlan,
    plan: Plan,
    share: number,
    nowMs: number,
  ) {
    this.#cap = inFlightCap === null ? null : Math.max(1, inFlightCap * share)
    const { draws: _, ...rest } = plan
    this.#rateShare.follow({ ...rest, drawLimit, burst }, { share }, 1, nowMs)
  }

  isFull(inFlight: number): boolean {
    return this.#cap !== null && inFlight >= this.#cap
  }

  admits(state: ClassState, serviceMs: number, nowMs: number): boolean {
    if (this.#rateShare.isUnlimited(nowMs) && state.probability >= 1) return true
    return this.#rateShare.admitByPlan(state, serviceMs, nowMs)
  }
}
