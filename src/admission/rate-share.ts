import type { Plan } from '../protocol/plan.ts'
import type { ClassState } from './class-state.ts'
import { TokenBucket } from './token-bucket.ts'

/** From this much load per second on, a share of the room is enough to be held by a bucket of its own. */
const OWN_BUCKET_FROM = 5
/** An isolate that sees nearly everything holds the room itself, however small it is. */
const NEARLY_ALL = 0.95
/**
 * Where draws hold the room, a bucket this many times as wide only stops a surge that the plan does not know of
 * yet; the rest lets a quiet isolate have its chance arrivals.
 */
const SURGE_FACTOR = 2
const QUIET_RATE = 0.25
/** The least depth of a bucket, in admissions. A shallower one refuses chance bunches of arrivals in calm traffic. */
const LEAST_DEPTH = 3
const CHANCE_SIGMA = 2
/** The part of the bucket that is left to all others by whom the plan would not let in. */
const SPARE_RESERVE = 0.75

/**
 * This isolate's share of the room. It is held by a bucket where it is large enough, because a bucket holds in the
 * same second in which a surge comes. Where it is small, dithered draws by the plan's probability hold it on the
 * sum over all isolates.
 */
export class RateShare {
  readonly #bucket: TokenBucket
  #isUnlimited = true
  #isOwn = false
  /** So deep that every class fits in more than once. */
  #leastDepth = LEAST_DEPTH

  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(nowMs)
  }

  /** There is no limit. */
  get isUnlimited(): boolean {
    return this.#isUnlimited
  }

  /** The share is held by a bucket. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  /** `highestCost` is that of the class whose admissions bring most load. */
  follow(plan: Plan, share: number, highestCost: number, nowMs: number): void {
    const drawLimit = plan.drawLimit === null ? null : plan.drawLimit * share
    this.#leastDepth = LEAST_DEPTH * Math.max(1, highestCost)
    this.#isUnlimited = drawLimit === null
    this.#isOwn = drawLimit !== null && (drawLimit >= OWN_BUCKET_FROM || share >= NEARLY_ALL)
    if (drawLimit === null) return
    const rate = this.#isOwn ? drawLimit : SURGE_FACTOR * drawLimit + QUIET_RATE
    this.#bucket.set(rate, this.#depth(plan.burst, drawLimit, share), nowMs)
  }

  /** No word from the coordinator: a limit of the isolate's own. */
  limitTo(limit: number, nowMs: number): void {
    this.#bucket.set(limit, Math.max(this.#leastDepth, limit / 4), nowMs)
  }

  takes(cost: number, reserve: number, nowMs: number): boolean {
    return this.#bucket.take(cost, reserve, nowMs)
  }

  /** Is there a place for one more of a class? */
  admits(rule: ClassState, serviceMs: number, nowMs: number): boolean {
    if (this.#isOwn) return rule.probability > 0 && this.#fits(rule, serviceMs, nowMs)
    return rule.draw(serviceMs) && this.#passesGuard(rule.costOf(serviceMs), nowMs)
  }

  /** Is there room for one more of a class, whatever its probability? The largest request needs a full bucket. */
  holds(rule: ClassState, serviceMs: number, nowMs: number): boolean {
    const cost = Math.min(rule.costOf(serviceMs), this.#bucket.depth - rule.reserve)
    return this.#bucket.take(cost, rule.reserve, nowMs)
  }

  /** Is there a place that nobody else wants? */
  spares(rule: ClassState, serviceMs: number, nowMs: number): boolean {
    if (!this.#isOwn || rule.probability === 0) return false
    const { depth } = this.#bucket
    const cost = Math.min(depth, rule.costOf(serviceMs))
    // A full bucket is there for anything.
    const reserve = Math.min(Math.max(rule.reserve, SPARE_RESERVE * depth), depth - cost)
    return this.#bucket.take(cost, reserve, nowMs)
  }

  /** Where small ones come first, large ones have what these leave. */
  #fits(rule: ClassState, serviceMs: number, nowMs: number): boolean {
    if (!rule.picks) return this.#bucket.take(rule.cost, rule.reserve, nowMs)
    return rule.draw(serviceMs)
      ? this.holds(rule, serviceMs, nowMs)
      : this.spares(rule, serviceMs, nowMs)
  }

  /** An isolate that has not drawn yet does not know its share, and has nothing to guard by. */
  #passesGuard(cost: number, nowMs: number): boolean {
    return this.#isUnlimited || this.#bucket.rate <= QUIET_RATE || this.#bucket.take(cost, 0, nowMs)
  }

  /**
   * An isolate that sees a part of the traffic sees its chance bursts, too: a second's worth of them must fit,
   * or it would refuse in calm while others have room.
   */
  #depth(burst: number, drawLimit: number, share: number): number {
    const chance = share >= NEARLY_ALL ? 0 : CHANCE_SIGMA * Math.sqrt(drawLimit)
    return Math.max(burst * share, this.#leastDepth + chance)
  }
}
