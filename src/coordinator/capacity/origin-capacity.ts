import type { Decision, Sample } from '../../learners/learner-interface.ts'
import { classKey } from '../../protocol/class-key.ts'
import type { Setup } from '../../protocol/feedback.ts'
import type { TiersFeedback } from '../../protocol/merge-reports.ts'
import { type OriginLoads, sharedPart } from '../own-load.ts'
import type { CapacityAnswer } from './answer.ts'
import type { Claim } from './arbitrate.ts'
import { originSlas } from './origin-slas.ts'
import { CapacityPlanner, USUAL_REQUESTS } from './planner.ts'
import { type CapacityState, isCapacityState, NO_CAPACITY_STATE } from './planner-state.ts'
import { type HourRecord, Predictor } from './predictor.ts'

/** What the coordinator hands over in a tick. */
interface CoordinatorTick {
  readonly nowMs: number
  readonly setup: Setup
  /** Of all classes: the servers work for those that are limited by themselves, too. */
  readonly sample: Sample
  readonly tiers: TiersFeedback
  /** About the classes that share the origin's limit. */
  readonly decision: Decision
  readonly loads: OriginLoads
  /** By class key, arrivals per second. */
  readonly arrivals: Readonly<Record<string, { readonly rate: number }>>
  /** Servers of the pool that answer; null: the origin is a single address. */
  readonly poolServers: number | null
}

/** Capacity planning for the coordinator of one origin. It does nothing if the setup has no rules for it. */
export class OriginCapacity {
  #planner: CapacityPlanner | null = null
  #rulesText = ''
  #others: readonly Claim[] = []
  #history: readonly HourRecord[] = []

  /** null: no capacity is planned. */
  get state(): CapacityState | null {
    return this.#planner?.state ?? null
  }

  get answer(): CapacityAnswer | null {
    return this.#planner?.answer ?? null
  }

  /** The history of the hours, from storage or from an access log. */
  restoreHistory(records: readonly HourRecord[]): void {
    this.#history = [...this.#history, ...records]
    this.#planner?.restoreHistory(records)
  }

  /** A setup comes into force. What was measured is kept. */
  adopt({ origin, capacity }: Setup, stored: unknown): void {
    const text = JSON.stringify(capacity)
    if (this.#planner !== null && text === this.#rulesText) return
    this.#rulesText = text
    if (capacity === undefined) {
      this.#planner = null
      return
    }
    const known = this.#planner?.state ?? stored
    const state = isCapacityState(known) ? (known as CapacityState) : NO_CAPACITY_STATE
    const predictor = new Predictor(capacity.predict, this.#history)
    this.#planner = new CapacityPlanner(origin, capacity, state, predictor)
  }

  tick(tick: CoordinatorTick): void {
    const { nowMs, setup, sample, tiers, decision, loads, arrivals, poolServers } = tick
    const planner = this.#planner
    if (planner === null) return
    const { limit, requestsPerSession = null } = decision
    const [first] = setup.capacity!.tiers
    if (poolServers !== null) planner.setCurrent({ [first!.name]: poolServers })
    planner.tick(
      {
        nowMs,
        sample,
        tiers,
        limit: limit === null ? null : limit + loads.ownAdmitted,
        requestsPerSession,
        slas: originSlas(setup, arrivals, requestsPerSession ?? USUAL_REQUESTS),
        classes: setup.routes.flatMap((route) =>
          route.classes.map(({ name, value, guaranteed }) => ({
            value,
            guaranteed,
            rate: arrivals[classKey(route.name, name)]?.rate ?? 0,
          })),
        ),
      },
      this.#others,
    )
  }

  /** Plans again in a time without reports. True: the state has changed. */
  rest(nowMs: number): boolean {
    const before = this.#planner?.state
    this.#planner?.plan(nowMs, this.#others)
    return this.#planner !== null && this.#planner.state !== before
  }

  /** Is a tier above its minimum? Then the time without reports must be watched. */
  get mayShrink(): boolean {
    const tiers = Object.values(this.answer?.tiers ?? {})
    return tiers.some(({ desired, min }) => desired > min)
  }

  /**
   * The decision with the rate that a tier carries that cannot grow. It only lowers the limit: what an origin says about
   * itself never raises it.
   */
  held(decision: Decision, loads: OriginLoads): Decision {
    const carried = this.answer?.heldRate ?? null
    if (carried === null) return decision
    const held = carried - Math.min(loads.ownAdmitted, carried * (1 - sharedPart(loads)))
    if (decision.limit !== null && decision.limit <= held) return decision
    return { ...decision, limit: held, reason: 'tier' }
  }

  /** The same for a class that is limited by itself: at most its part of what the tier carries, by arrivals. */
  heldClass(decision: Decision, arrivals: number, { shared, own }: OriginLoads): Decision {
    const carried = this.answer?.heldRate ?? null
    if (carried === null || shared + own <= carried) return decision
    const held = (arrivals * carried) / (shared + own)
    if (decision.limit !== null && decision.limit <= held) return decision
    return { ...decision, limit: held, reason: 'tier' }
  }

  /** Of the classes that share the origin's limit. */
  knownPeak(nowMs: number, loads: OriginLoads): number | null {
    const peak = this.#planner?.knownPeak(nowMs) ?? null
    return peak === null ? null : peak * sharedPart(loads)
  }

  takeRecords(): readonly HourRecord[] {
    return this.#planner?.takeRecords() ?? []
  }

  /** The first hour of the history that is kept. */
  forget(nowMs: number): number | null {
    return this.#planner?.forget(nowMs) ?? null
  }

  claim(): Claim | null {
    return this.#planner?.claim() ?? null
  }

  /** The claims of the other origins of the group. */
  setOthers(claims: readonly Claim[]): void {
    this.#others = claims
  }

  /** False: no such tier, or no capacity is planned. */
  setCurrent(tier: string, servers: number, setup: Setup): boolean {
    if (!setup.capacity?.tiers.some(({ name }) => name === tier)) return false
    this.#planner?.setCurrent({ [tier]: servers })
    return this.#planner !== null
  }
}
