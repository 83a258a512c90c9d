import type { LimitPart } from '../protocol/coordinator-port.ts'
import type { LimitPlan } from '../protocol/plan-limits.ts'
import type { ClassState } from './class-state.ts'
import { Dither } from './dither.ts'
import { drawnDepth, probabilityByForecast } from './forecast-draws.ts'
import { LeaseState } from './lease-state.ts'
import { TokenBucket } from './token-bucket.ts'

/** From this much load per second, a bucket enforces the isolate's share. */
const BUCKET_FROM = 5
/** An isolate that sees nearly all traffic enforces the limit with its bucket, however small the limit is. */
const NEARLY_ALL = 0.95
/**
 * Where draws enforce the limit, a bucket this many times as wide only stops a surge that the plan does not know of
 * yet. `QUIET_RATE` lets the random arrivals of a quiet isolate pass.
 */
const SURGE_FACTOR = 2
const QUIET_RATE = 0.25
/** The least depth of a bucket, in admissions. A smaller bucket would refuse random bursts without any overload. */
const LEAST_DEPTH = 3
const CHANCE_SIGMA = 2
/** Behind more important classes, a class may have so many times its part of the plan if there is a lease for it. */
const LEASE_FACTOR = 1.5
/** While there is no plan at all, and no answer to the first report, an isolate admits this many. */
const WITHOUT_PLAN = 20
/** Where draws decide, a less important class leaves at most this part of the bucket. */
const DRAWN_RESERVE = 0.25
/** Part of the bucket that must stay when a request is admitted that the plan would refuse (over quota, or large). */
const UNUSED_RESERVE = 0.75

/**
 * This isolate's share of a limit on draws. A bucket enforces it where it is large enough, because a bucket limits
 * a surge from its first second. Where it is small, the relay lends admissions. Without a relay, dithered draws with
 * the plan's probability enforce it on the sum over all isolates.
 */
export class RateShare {
  readonly #bucket: TokenBucket
  /** For draws without a plan or by a stale one: a fair part of the limit. */
  readonly #spare: TokenBucket
  /** For classes that pass without the lease: no more than this isolate's share. Beyond it they ask. */
  readonly #unheld: TokenBucket
  readonly #lease = new LeaseState()
  /** Which draws ask the relay. */
  readonly #asking: Dither
  #isUnlimited = true
  #isByBucket = false
  #draws: LimitPlan['draws'] | null = null
  /** Is this isolate's share large enough for a bucket of its own? */
  #isLarge = false
  /** Enough for several admissions of every class. */
  #leastDepth = LEAST_DEPTH

  /** `phase` is a random number in [0, 1). */
  constructor(nowMs: number, phase = 0.5) {
    this.#asking = new Dither(phase)
    this.#bucket = new TokenBucket(nowMs)
    this.#spare = new TokenBucket(nowMs, WITHOUT_PLAN)
    this.#unheld = new TokenBucket(nowMs, 1)
  }

  /** Neither a limit nor a lease decides. */
  isUnlimited(nowMs: number): boolean {
    return this.#isUnlimited && !this.#lease.isInForce(nowMs)
  }

  /** Does the bucket enforce the share, and not draws? */
  get isByBucket(): boolean {
    return this.#isByBucket
  }

  follow(limit: LimitPlan, part: LimitPart, nowMs: number): void {
    const { share, lease } = part
    const drawLimit = limit.drawLimit === null ? null : limit.drawLimit * share
    const wasUnlimited = this.#isUnlimited
    this.#leastDepth = LEAST_DEPTH * Math.max(1, limit.highestCost)
    this.#isUnlimited = drawLimit === null
    if (lease) this.#lease.set(lease, limit.lowestCost, nowMs)
    else this.#lease.end()
    this.#draws = limit.draws ?? null
    this.#isLarge =
      drawLimit !== null && !lease && (drawLimit >= BUCKET_FROM || share >= NEARLY_ALL)
    this.#isByBucket = this.#isLarge && this.#draws === null
    const fairPart = Math.max(share, part.fairPart ?? 0)
    // Where a bucket enforces the share, it goes on with a stale plan.
    this.#setSpare(limit, this.#isByBucket ? 0 : fairPart, nowMs)
    if (drawLimit === null) return
    this.#unheld.set(drawLimit + QUIET_RATE, Math.max(1, limit.highestCost), nowMs)
    const rate = this.#isLarge ? drawLimit : SURGE_FACTOR * drawLimit + QUIET_RATE
    this.#bucket.set(rate, this.#depth(limit.burst, drawLimit, share), nowMs)
    // The first limit comes in calm: an empty bucket would refuse visitors for whom there is room.
    if (wasUnlimited && this.#isLarge && (this.#draws !== null || limit.isAllIn))
      this.#bucket.fill()
  }

  /** A lone visitor always finds a token. */
  #setSpare({ drawLimit, highestCost }: LimitPlan, share: number, nowMs: number): void {
    const rate = drawLimit === null ? WITHOUT_PLAN : drawLimit * share
    const one = Math.max(1, highestCost)
    this.#spare.set(Math.max(QUIET_RATE, rate), Math.max(one, rate), nowMs)
    this.#spare.fill(one)
  }

  /** There is no plan, or only a stale one. */
  admitWithoutPlan(cost: number, nowMs: number): boolean {
    if (this.#isByBucket && this.#bucket.take(cost, 0, nowMs)) return true
    return this.#spare.take(cost, 0, nowMs)
  }

  /** Should this draw ask the relay before it is refused? While the limit is not needed, every draw does. */
  wantsMore({ cost, probability }: ClassState, nowMs: number): boolean {
    if (!this.#lease.lacks(cost, nowMs)) return false
    // Nothing is taken yet.
    if (!this.#lease.holds(probability)) return !this.#unheld.take(0, cost, nowMs)
    return this.#lease.isInCalm || this.#asking.draw(this.#lease.asks * probability)
  }

  /** Do draws ask the relay one by one? */
  isEachAsking(nowMs: number): boolean {
    return this.#lease.asks > 0 && this.#lease.isInForce(nowMs)
  }

  /** Must the relay know at once when a request has ended? */
  reportsEnds(nowMs: number): boolean {
    return this.#lease.reportsEnds(nowMs)
  }

  /** The coordinator cannot be reached: the isolate has learned this limit by itself. */
  limitTo(limit: number, nowMs: number): void {
    this.#bucket.set(limit, Math.max(this.#leastDepth, limit / 4), nowMs)
  }

  /** Admits by the limit of `limitTo`. */
  admitLocally(cost: number, nowMs: number): boolean {
    return this.#bucket.take(cost, 0, nowMs)
  }

  /** Does the plan admit one more request of this class? If so, takes its tokens. A degraded one has less `load` than 1. */
  admitByPlan(state: ClassState, serviceMs: number, nowMs: number, load = 1): boolean {
    if (this.#draws !== null) return this.#admitByDraw(state, serviceMs, nowMs, load)
    if (this.#isByBucket)
      return state.probability > 0 && this.#admitFromBucket(state, serviceMs, nowMs, load)
    if (this.#lease.isInForce(nowMs)) return this.#admitFromLease(state, serviceMs, nowMs, load)
    return state.draw(serviceMs, load) && this.#passesGuard(state.costOf(serviceMs) * load, nowMs)
  }

  /** Admits while there are tokens, whatever the class's probability. A very large request needs a full bucket. */
  admitByTokens(state: ClassState, serviceMs: number, nowMs: number): boolean {
    const cost = Math.min(state.costOf(serviceMs), this.#bucket.depth - state.reserve)
    return this.#bucket.take(cost, state.reserve, nowMs)
  }

  /** Admits while the bucket is nearly full: then no other request needs the capacity. */
  admitIfUnused(state: ClassState, serviceMs: number, nowMs: number): boolean {
    if (!this.#isByBucket || state.probability === 0) return false
    const { depth } = this.#bucket
    const cost = Math.min(depth, state.costOf(serviceMs))
    // A full bucket admits any request.
    const reserve = Math.min(Math.max(state.reserve, UNUSED_RESERVE * depth), depth - cost)
    return this.#bucket.take(cost, reserve, nowMs)
  }

  /**
   * Draws decide. A surge that the plan does not know of yet runs the bucket empty, or the relay's budget, and then
   * the admitted part falls with every arrival, as in the flash-crowd mode of Bartolini et al. 2009, §4.2.
   */
  #admitByDraw(state: ClassState, serviceMs: number, nowMs: number, load: number): boolean {
    const cost = state.costOf(serviceMs) * load
    if (this.#lease.isInForce(nowMs))
      return state.draw(serviceMs, load) && this.#takeLease(cost, nowMs)
    if (!this.#isLarge) return state.draw(serviceMs, load) && this.#passesGuard(cost, nowMs)
    // Until the plan knows of a surge, the classes all have the probability of before.
    const reserve = Math.min(state.reserve, DRAWN_RESERVE * this.#bucket.depth)
    const { probability } = state
    if (this.#draws === 'policy' || probability >= 1)
      return state.draw(serviceMs, load) && this.#bucket.take(cost, reserve, nowMs)
    const byForecast = probabilityByForecast(probability, this.#bucket.fullness(nowMs))
    const isDrawn = byForecast > 0 && state.draw(serviceMs, (load * probability) / byForecast)
    return isDrawn && this.#bucket.take(cost, reserve, nowMs)
  }

  #admitFromLease(state: ClassState, serviceMs: number, nowMs: number, load: number): boolean {
    if (state.probability === 0) return false
    const cost = state.costOf(serviceMs) * load
    // What the plan lets in as a whole takes no lease, as long as it is no more than this isolate's share.
    if (!this.#lease.holds(state.probability))
      return this.#unheld.take(cost, 0, nowMs) || this.#takeLease(cost, nowMs)
    // More important classes pass without the lease. What they leave in it must not all go to who comes first.
    const isShared = state.rank > 0 && state.probability < 1 && this.#lease.asks === 0
    if (isShared && !state.draw(serviceMs, load / LEASE_FACTOR)) return false
    return this.#takeLease(cost, nowMs)
  }

  /** Several may have waited for the same answer. Nobody is refused for that while the limit is not needed. */
  #takeLease(cost: number, nowMs: number): boolean {
    return this.#lease.take(cost) || (this.#lease.isInCalm && this.#spare.take(cost, 0, nowMs))
  }

  /** With `smallFirst`, large requests get the capacity that small ones do not use. */
  #admitFromBucket(state: ClassState, serviceMs: number, nowMs: number, load: number): boolean {
    if (!state.prefersSmall)
      return this.#bucket.takeOnCredit(state.cost * load, load, state.reserve, nowMs)
    return state.draw(serviceMs)
      ? this.admitByTokens(state, serviceMs, nowMs)
      : this.admitIfUnused(state, serviceMs, nowMs)
  }

  /** An isolate without a draw so far does not know its share, so its bucket does not limit it. */
  #passesGuard(cost: number, nowMs: number): boolean {
    return this.#isUnlimited || this.#bucket.rate <= QUIET_RATE || this.#bucket.take(cost, 0, nowMs)
  }

  /** An isolate that sees a part of the traffic also sees random bursts. The bucket has space for a second of them. */
  #depth(burst: number, drawLimit: number, share: number): number {
    if (this.#draws !== null) return drawnDepth(drawLimit, this.#leastDepth)
    const chance = share >= NEARLY_ALL ? 0 : CHANCE_SIGMA * Math.sqrt(drawLimit)
    return Math.max(burst * share, this.#leastDepth + chance)
  }
}
