import type { Plan } from '../protocol/plan.ts'
import type { ClassState } from './class-state.ts'
import { TokenBucket } from './token-bucket.ts'

/** From this much load per second on, a bucket of its own enforces the isolate's share. */
const OWN_BUCKET_FROM = 5
/** An isolate that sees nearly all traffic enforces the limit with its bucket, however small the limit is. */
const NEARLY_ALL = 0.95
/**
 * Where draws enforce the limit, a bucket this many times as wide only stops a surge that the plan does not know of
 * yet. `QUIET_RATE` leaves a quiet isolate its chance arrivals.
 */
const SURGE_FACTOR = 2
const QUIET_RATE = 0.25
/** The least depth of a bucket, in admissions: a shallower one refuses chance bursts in calm. */
const LEAST_DEPTH = 3
const CHANCE_SIGMA = 2
/** Part of the bucket that must stay free when a request is admitted that the plan would refuse (over quota, or large). */
const SPARE_RESERVE = 0.75

/**
 * This isolate's share of the limit on draws. A bucket enforces it where it is large enough, because a bucket holds
 * in the very second in which a surge comes. Where it is small, dithered draws with the plan's probability enforce it
 * on the sum over all isolates.
 */
export class RateShare {
  readonly #bucket: TokenBucket
  #isUnlimited = true
  #isOwn = false
  /** Deep enough for several admissions of every class. */
  #leastDepth = LEAST_DEPTH

  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(nowMs)
  }

  get isUnlimited(): boolean {
    return this.#isUnlimited
  }

  /** Does a bucket enforce the share? */
  get isOwn(): boolean {
    return this.#isOwn
  }

  /** `highestCost` is the cost of the class whose admissions bring most load. */
  follow(plan: Plan, share: number, highestCost: number, nowMs: number): void {
    const drawLimit = plan.drawLimit === null ? null : plan.drawLimit * share
    this.#leastDepth = LEAST_DEPTH * Math.max(1, highestCost)
    this.#isUnlimited = drawLimit === null
    this.#isOwn = drawLimit !== null && (drawLimit >= OWN_BUCKET_FROM || share >= NEARLY_ALL)
    if (drawLimit === null) return
    const rate = this.#isOwn ? drawLimit : SURGE_FACTOR * drawLimit + QUIET_RATE
    this.#bucket.set(rate, this.#depth(plan.burst, drawLimit, share), nowMs)
  }

  /** The coordinator cannot be reached: a limit of the isolate's own. */
  limitTo(limit: number, nowMs: number): void {
    this.#bucket.set(limit, Math.max(this.#leastDepth, limit / 4), nowMs)
  }

  takes(cost: number, reserve: number, nowMs: number): boolean {
    return this.#bucket.take(cost, reserve, nowMs)
  }

  /** Does the plan admit one more request of this class? */
  admits(state: ClassState, serviceMs: number, nowMs: number): boolean {
    if (this.#isOwn) return state.probability > 0 && this.#fits(state, serviceMs, nowMs)
    return state.draw(serviceMs) && this.#passesGuard(state.costOf(serviceMs), nowMs)
  }

  /** Are there tokens for one more request, whatever its class's probability? A very large one needs a full bucket. */
  holds(state: ClassState, serviceMs: number, nowMs: number): boolean {
    const cost = Math.min(state.costOf(serviceMs), this.#bucket.depth - state.reserve)
    return this.#bucket.take(cost, state.reserve, nowMs)
  }

  /** Is there capacity that no other request asks for? */
  hasSpare(state: ClassState, serviceMs: number, nowMs: number): boolean {
    if (!this.#isOwn || state.probability === 0) return false
    const { depth } = this.#bucket
    const cost = Math.min(depth, state.costOf(serviceMs))
    // A full bucket admits any request.
    const reserve = Math.min(Math.max(state.reserve, SPARE_RESERVE * depth), depth - cost)
    return this.#bucket.take(cost, reserve, nowMs)
  }

  /** With `smallFirst`, large requests get what small ones leave. */
  #fits(state: ClassState, serviceMs: number, nowMs: number): boolean {
    if (!state.prefersSmall) return this.#bucket.take(state.cost, state.reserve, nowMs)
    return state.draw(serviceMs)
      ? this.holds(state, serviceMs, nowMs)
      : this.hasSpare(state, serviceMs, nowMs)
  }

  /** An isolate that has not drawn yet does not know its share, so its bucket says nothing. */
  #passesGuard(cost: number, nowMs: number): boolean {
    return this.#isUnlimited || this.#bucket.rate <= QUIET_RATE || this.#bucket.take(cost, 0, nowMs)
  }

  /** An isolate that sees a part of the traffic also sees chance bursts. A second's worth of them must fit in. */
  #depth(burst: number, drawLimit: number, share: number): number {
    const chance = share >= NEARLY_ALL ? 0 : CHANCE_SIGMA * Math.sqrt(drawLimit)
    return Math.max(burst * share, this.#leastDepth + chance)
  }
}
