import type { Route } from '../config/config.ts'
import type { ClassPlan, Plan } from '../protocol/plan.ts'
import { Dither } from './dither.ts'
import { FairShare } from './fair-share.ts'
import { Guarantee } from './guarantee.ts'
import { SmallFirst } from './small-first.ts'

/** The part of the bucket that the least important class leaves to the others. */
const LARGEST_RESERVE = 0.5
/** No class is held longer than this, whatever a plan says. */
const LONGEST_HOLD_MS = 2000

/** What a rule needs to know of the plan beside what is the class's own. */
export interface PlanContext {
  /** The rank of the least important class. */
  readonly lowest: number
  /** How much may come at once in this isolate. */
  readonly burst: number
  readonly load: Plan['load']
}

/** How one class is judged now: what the plan says, made ready. */
export class ClassState {
  readonly guarantee: Guarantee
  /** null: one client may have all. */
  readonly fair: FairShare | null
  readonly #dither: Dither
  /** null: size does not matter. */
  readonly #small: SmallFirst | null
  probability = 1
  cost = 1
  /** What it leaves in the bucket to better classes. */
  reserve = 0
  rank = 0
  delayMs = 0
  #meanMs = 0

  constructor({ fairness, smallFirst }: Route, coin: () => number, nowMs: number) {
    this.#dither = new Dither(coin())
    this.guarantee = new Guarantee(coin(), nowMs)
    this.fair = fairness === null ? null : new FairShare(fairness, coin(), nowMs)
    this.#small = smallFirst ? new SmallFirst() : null
  }

  follow(given: ClassPlan, { lowest, burst, load }: PlanContext, nowMs: number): void {
    this.probability = given.probability
    this.cost = given.cost
    this.rank = given.rank
    this.reserve = (given.rank / lowest) * LARGEST_RESERVE * burst
    this.delayMs = Math.min(LONGEST_HOLD_MS, given.delayMs ?? 0)
    this.#meanMs = load?.serviceMs ?? 0
    this.guarantee.set(given.conforming, given.guaranteed, nowMs)
    this.#small?.set(given.probability)
  }

  /** To be told of each request that asks, where small ones come first. */
  arrive(serviceMs: number): void {
    if (serviceMs > 0) this.#small?.arrive(serviceMs)
  }

  /** Is this one of the part p that the plan lets in? Where small ones come first, it is these. */
  draw(serviceMs: number): boolean {
    const isSized = this.#small !== null && serviceMs > 0
    return this.#dither.draw(isSized ? this.#small!.probability(serviceMs) : this.probability)
  }

  /** Does it matter which ones of the class are let in? */
  get picks(): boolean {
    return this.#small !== null
  }

  /** The load of one request: as its class's, or as its own size says where size matters. */
  costOf(serviceMs: number): number {
    return this.#small !== null && serviceMs > 0 && this.#meanMs > 0
      ? serviceMs / this.#meanMs
      : this.cost
  }
}
