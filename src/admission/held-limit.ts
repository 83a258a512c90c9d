import type { LimitPart } from '../protocol/coordinator-port.ts'
import type { LimitPlan } from '../protocol/plan-limits.ts'
import { CapShare, type InFlightTime } from './cap-share.ts'
import { RateShare } from './rate-share.ts'

/**
 * One limit of the plan, and this isolate's part of it. The limit that classes share and that of a class which is limited
 * by itself are held in the same way.
 */
export class HeldLimit {
  readonly rate: RateShare
  readonly cap: CapShare

  /** `inFlight`: the requests of its classes. */
  constructor(inFlight: InFlightTime, coin: () => number, nowMs: number) {
    this.cap = new CapShare(inFlight, coin, nowMs)
    this.rate = new RateShare(nowMs, coin())
  }

  follow(limit: LimitPlan, part: LimitPart, nowMs: number): void {
    this.cap.follow(limit.inFlightCap, part, nowMs)
    this.rate.follow(limit, part, nowMs)
  }
}
