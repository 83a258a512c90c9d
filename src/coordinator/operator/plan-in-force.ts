import type { Setup } from '../../protocol/feedback.ts'
import type { Plan } from '../../protocol/plan.ts'
import { unitsPerAdmission } from '../allocate-limit.ts'
import type { CoordinatorState } from '../state.ts'
import { fixedLimit, type Override, setupWith } from './override.ts'

/** The state that a plan is made from while the overrides hold. */
export function stateInForce(
  state: CoordinatorState,
  overrides: readonly Override[],
): CoordinatorState {
  if (overrides.length === 0) return state
  const fixed = fixedLimit(overrides)
  const route = state.setup.routes.find(({ name }) => name === fixed?.route)
  const setup = setupWith(state.setup, overrides)
  if (fixed === null || route === undefined) return { ...state, setup }
  // The learner goes on, but neither its probabilities nor its cap on requests in flight hold: the limit is exact.
  const { requestsPerSession } = state.decision
  const limit = fixed.limit * unitsPerAdmission(state, route)
  const decision = { limit, reason: 'fixed' as const }
  return {
    ...state,
    setup,
    decision: requestsPerSession === undefined ? decision : { ...decision, requestsPerSession },
  }
}

/** The plan tells the edge the modes that differ from the configured ones. */
export function planWithModes(plan: Plan, configured: Setup, inForce: Setup): Plan {
  if (configured === inForce) return plan
  const routes = { ...plan.routes }
  for (const [i, { name, mode }] of inForce.routes.entries())
    if (mode !== configured.routes[i]!.mode) routes[name] = { ...routes[name]!, mode }
  return { ...plan, routes }
}
