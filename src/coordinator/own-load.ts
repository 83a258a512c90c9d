import { classKey } from '../protocol/class-key.ts'
import { costOf } from './allocate-limit.ts'
import type { ClassCosts } from './class-cost.ts'
import { isApart } from './class-sla.ts'
import type { CoordinatorState } from './state.ts'

/** The load of an origin, by the limit that it falls under, in the unit of the origin's limit. */
export interface OriginLoads {
  /** What arrives in the classes that share the limit. */
  readonly shared: number
  /** What arrives in the classes that are limited by themselves, and what their limits admit of it. */
  readonly own: number
  readonly ownAdmitted: number
}

export function loadsOf(state: CoordinatorState, costs: ClassCosts): OriginLoads {
  let shared = 0
  let own = 0
  let ownAdmitted = 0
  for (const route of state.setup.routes)
    for (const one of route.classes) {
      const key = classKey(route.name, one.name)
      const rate = state.arrivals[key]?.rate ?? 0
      const cost = costOf(state, costs, route, one.name)
      if (!isApart(route, one)) shared += rate * cost
      else {
        own += rate * cost
        ownAdmitted += Math.min(rate, state.classLimits[key]?.decision.limit ?? rate) * cost
      }
    }
  return { shared, own, ownAdmitted }
}

/** The part of a rate of the whole origin that shares its limit. */
export const sharedPart = ({ shared, own }: OriginLoads): number =>
  own > 0 ? shared / (shared + own) : 1
