import type { Route } from '../config/config.ts'
import type { ClassPlan, Plan } from '../protocol/plan.ts'
import { REFUSE, type Verdict } from '../protocol/verdict.ts'
import { ClientQuota } from './client-quota.ts'
import { Dither } from './dither.ts'
import { Guarantee } from './guarantee.ts'
import { ClassRoom } from './queue/class-room.ts'
import { SmallFirst } from './small-first.ts'

/** The part of the bucket that the least important class must leave unused. */
const LARGEST_RESERVE = 0.5
/** No request waits longer than this for its batch, whatever a plan says. */
const LONGEST_DELAY_MS = 2000

/** What a class needs from the plan in addition to its own entry. */
interface PlanContext {
  /** The rank of the least important class. */
  readonly lowestRank: number
  /** This isolate's part of all draws. */
  readonly share: number
  /** How much load this isolate may admit at once. */
  readonly burst: number
  readonly load: Plan['load']
}

/** One class under the plan in force. */
export class ClassState {
  readonly guarantee: Guarantee
  /** null: the route has no fairness. */
  readonly fair: ClientQuota | null
  /** Places in the waiting room by client; null: the route has no fairness. */
  readonly places: ClientQuota | null
  readonly room: ClassRoom
  readonly #dither: Dither
  /** null: the route does not prefer small requests. */
  readonly #small: SmallFirst | null
  probability = 1
  cost = 1
  /** Tokens that this class must leave in the bucket for more important classes. */
  reserve = 0
  rank = 0
  delayMs = 0
  #meanMs = 0

  constructor({ fairness, smallFirst }: Route, coin: () => number, nowMs: number) {
    this.#dither = new Dither(coin())
    this.guarantee = new Guarantee(coin(), nowMs)
    this.fair = fairness === null ? null : new ClientQuota(fairness, coin(), nowMs)
    this.places = fairness === null ? null : new ClientQuota(fairness, coin(), nowMs)
    this.room = new ClassRoom(nowMs)
    this.#small = smallFirst ? new SmallFirst() : null
  }

  follow(planned: ClassPlan, { lowestRank, share, burst, load }: PlanContext, nowMs: number): void {
    this.probability = planned.probability
    this.cost = planned.cost
    this.rank = planned.rank
    this.reserve = (planned.rank / lowestRank) * LARGEST_RESERVE * burst
    this.delayMs = Math.min(LONGEST_DELAY_MS, planned.delayMs ?? 0)
    this.#meanMs = load?.serviceMs ?? 0
    this.guarantee.set(planned.conforming, planned.guaranteed, nowMs, share)
    this.#small?.set(planned.probability)
    this.room.follow(planned.queue, share, nowMs)
  }

  /** Call this for each request that asks for admission: `smallFirst` learns the sizes of all of them. */
  arrive(serviceMs: number): void {
    if (serviceMs > 0) this.#small?.arrive(serviceMs)
  }

  /** Draws with the plan's probability; with `smallFirst`, small requests first. */
  draw(serviceMs: number, load = 1): boolean {
    const isSized = this.#small !== null && serviceMs > 0
    const probability = isSized ? this.#small!.probability(serviceMs) : this.probability
    return this.#dither.draw(load === 1 ? probability : Math.min(1, probability / load))
  }

  get prefersSmall(): boolean {
    return this.#small !== null
  }

  /** The load of one request: the mean of its class, or its own if small requests are preferred. */
  costOf(serviceMs: number): number {
    return this.#small !== null && serviceMs > 0 && this.#meanMs > 0
      ? serviceMs / this.#meanMs
      : this.cost
  }

  /** Fairness counts admissions, and refusals for lack of capacity. */
  countForFairness(client: number | null, verdict: Verdict, nowMs: number): void {
    if (this.fair === null || client === null) return
    if (verdict.kind === 'admit') this.fair.admitted(client, nowMs)
    else if (verdict !== REFUSE.fairness) this.fair.refused(client, nowMs)
  }
}
