import type { Setup } from '../../protocol/feedback.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import type { Plan } from '../../protocol/plan.ts'
import { classRates } from '../allocate-limit.ts'
import { buildPlan } from '../build-plan.ts'
import { type ClassCosts, costsOf } from '../class-cost.ts'
import { withPool } from '../pool-change.ts'
import { type QueueStates, queuesAfter } from '../queue/queue-rates.ts'
import type { CoordinatorState } from '../state.ts'
import { nextEndMs, type Override, setupWith, unended } from './override.ts'
import { planWithModes, stateInForce } from './plan-in-force.ts'

/** The overrides of operators, and what setup, plan and waiting rooms are with them. */
export class OverridesInForce {
  #list: readonly Override[] = []
  #nextEndMs = Number.POSITIVE_INFINITY

  /** Those that have not ended, the oldest first. */
  get list(): readonly Override[] {
    return this.#list
  }

  set(overrides: readonly Override[], nowMs: number): void {
    this.#list = unended(overrides, nowMs)
    this.#nextEndMs = nextEndMs(this.#list)
  }

  /** Has one of them ended? */
  hasEnded(nowMs: number): boolean {
    return nowMs >= this.#nextEndMs
  }

  setupOf({ setup, pool }: CoordinatorState): Setup {
    return setupWith(withPool(setup, pool), this.#list)
  }

  planOf(
    state: CoordinatorState,
    costs = costsOf(state.serviceTotals, state.answerTotals, state.classTimes),
  ): Plan {
    const setup = withPool(state.setup, state.pool)
    const overridden = stateInForce({ ...state, setup }, this.#list)
    return planWithModes(buildPlan(overridden, costs), state.setup, overridden.setup)
  }

  /** The waiting rooms move at the rate that the limit in force gives their classes. */
  queuesAfter(
    state: CoordinatorState,
    costs: ClassCosts,
    routes: RoutesFeedback,
    lengthMs: number,
  ): QueueStates {
    const inForce = stateInForce(state, this.#list)
    const rates = classRates(inForce, costs)
    const tick = { rates, seconds: lengthMs / 1000, nowMs: state.issuedAtMs }
    return queuesAfter(state.queues, state.setup, routes, tick)
  }
}
