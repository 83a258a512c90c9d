import type { Route } from '../config/config.ts'
import type { ClassPlan, Plan } from '../protocol/plan.ts'
import { ClassState } from './class-state.ts'
import { OwnLimit } from './own-limit.ts'

/** The classes of all routes of one origin, under the plan in force. */
export class OriginClasses {
  readonly #routes: readonly Route[]
  readonly #classes = new Map<string, readonly ClassState[]>()
  /** The classes that are limited by themselves. */
  readonly #own = new Map<ClassState, OwnLimit>()

  constructor(routes: readonly Route[], coin: () => number, nowMs: number) {
    this.#routes = routes
    for (const route of routes)
      this.#classes.set(
        route.name,
        route.classes.map(() => new ClassState(route, coin, nowMs)),
      )
  }

  at(route: string, classIndex: number): ClassState {
    return this.#classes.get(route)![classIndex]!
  }

  indexOf(route: string, state: ClassState): number {
    return this.#classes.get(route)!.indexOf(state)
  }

  /** undefined: the class shares the limit of the origin. */
  ownLimitOf(state: ClassState): OwnLimit | undefined {
    return this.#own.get(state)
  }

  /** Returns the highest cost among the classes, and whether any of them is not admitted in full. */
  follow(plan: Plan, share: number, nowMs: number): { highestCost: number; isAnyCut: boolean } {
    const ranks = Object.values(plan.routes).flatMap((route) =>
      Object.values(route.classes).map(({ rank }) => rank),
    )
    const context = {
      lowestRank: Math.max(1, ...ranks),
      share,
      burst: plan.burst * share,
      load: plan.load,
    }
    let highestCost = 0
    let isAnyCut = false
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const planned = classes[name]
        if (!planned) continue
        const state = this.at(route.name, i)
        state.follow(planned, context, nowMs)
        this.#followOwn(state, planned, plan, share, nowMs)
        if (planned.probability < 1) isAnyCut = true
        highestCost = Math.max(highestCost, planned.cost)
      }
    }
    return { highestCost, isAnyCut }
  }

  #followOwn(
    state: ClassState,
    { own }: ClassPlan,
    plan: Plan,
    share: number,
    nowMs: number,
  ): void {
    if (own === undefined) return void this.#own.delete(state)
    const limit = this.#own.get(state) ?? new OwnLimit(nowMs)
    this.#own.set(state, limit)
    limit.follow(own, plan, share, nowMs)
  }
}
