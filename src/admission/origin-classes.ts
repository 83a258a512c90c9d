import type { Route } from '../config/config.ts'
import { classKey } from '../protocol/class-key.ts'
import type { Plan } from '../protocol/plan.ts'
import type { LimitPlan } from '../protocol/plan-limits.ts'
import type { InFlightTime } from './cap-share.ts'
import { ClassState } from './class-state.ts'
import { HeldLimit } from './held-limit.ts'
import { type PlanPart, partOf } from './plan-part.ts'

/** The classes of all routes of one origin, under the plan in force. */
export class OriginClasses {
  readonly #routes: readonly Route[]
  readonly #classes = new Map<string, readonly ClassState[]>()
  readonly #inFlightOf: (route: string, classIndex: number) => InFlightTime
  readonly #coin: () => number
  /** The limits of the classes that are limited by themselves. */
  readonly #own = new Map<ClassState, HeldLimit>()

  constructor(
    routes: readonly Route[],
    inFlightOf: (route: string, classIndex: number) => InFlightTime,
    coin: () => number,
    nowMs: number,
  ) {
    this.#routes = routes
    this.#inFlightOf = inFlightOf
    this.#coin = coin
    for (const route of routes)
      this.#classes.set(
        route.name,
        route.classes.map(() => new ClassState(route, coin, nowMs)),
      )
  }

  at(route: string, classIndex: number): ClassState {
    return this.#classes.get(route)![classIndex]!
  }

  /** undefined: the class shares the limit of the origin. */
  ownLimitOf(state: ClassState): HeldLimit | undefined {
    return this.#own.get(state)
  }

  /** The limits of the classes that are limited by themselves. */
  get own(): Iterable<HeldLimit> {
    return this.#own.values()
  }

  /** Returns whether any class is not admitted in full. */
  follow(
    plan: Plan,
    limits: ReadonlyMap<string, LimitPlan>,
    part: PlanPart,
    nowMs: number,
  ): boolean {
    const { share } = part
    const ranks = Object.values(plan.routes).flatMap((route) =>
      Object.values(route.classes).map(({ rank }) => rank),
    )
    const context = {
      lowestRank: Math.max(1, ...ranks),
      share,
      burst: plan.burst * share,
      load: plan.load,
    }
    let isAnyCut = false
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const planned = classes[name]
        if (!planned) continue
        const state = this.at(route.name, i)
        state.follow(planned, context, nowMs)
        if (planned.probability < 1) isAnyCut = true
        const key = classKey(route.name, name)
        const limit = planned.own === undefined ? undefined : limits.get(key)
        if (limit === undefined) {
          this.#own.delete(state)
          continue
        }
        const held = this.#own.get(state) ?? this.#hold(route.name, i, nowMs)
        this.#own.set(state, held)
        held.follow(limit, partOf(part, key), nowMs)
      }
    }
    return isAnyCut
  }

  #hold(route: string, classIndex: number, nowMs: number): HeldLimit {
    return new HeldLimit(this.#inFlightOf(route, classIndex), this.#coin, nowMs)
  }

  /** These limits hold: by class key, those of the classes that are limited by themselves. */
  limitTo(limits: ReadonlyMap<string, number>, otherwise: number, nowMs: number): void {
    for (const { name, classes } of this.#routes)
      for (const [i, one] of classes.entries()) {
        const limit = limits.get(classKey(name, one.name)) ?? otherwise
        this.#own.get(this.at(name, i))?.rate.limitTo(limit, nowMs)
      }
  }
}
