import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge-reports.ts'
import { type ArrivalRate, observeArrivals } from './arrival-rate.ts'
import { targetIndex } from './sla-target.ts'
import type { CoordinatorState } from './state.ts'

/** New visitors. Those who wait have arrived before. */
export function arrivalsAfter(
  setup: Setup,
  routes: RoutesFeedback,
  lengthMs: number,
  previous: CoordinatorState['arrivals'],
): CoordinatorState['arrivals'] {
  const after: Record<string, ArrivalRate> = {}
  for (const route of setup.routes)
    for (const { name } of route.mode === 'off' ? [] : route.classes) {
      const key = classKey(route.name, name)
      const { offered } = routes[route.name]?.classes[name] ?? NO_CLASS_FEEDBACK
      after[key] = observeArrivals(previous[key], offered, lengthMs / 1000)
    }
  return after
}

/** The row of the SLA's table by arrival rate: of each route, and of each class with an SLA of its own. */
export function targetsFor(
  setup: Setup,
  arrivals: CoordinatorState['arrivals'],
  current: CoordinatorState['targets'],
): CoordinatorState['targets'] {
  const rows: Record<string, number> = {}
  for (const route of setup.routes) {
    let rate = 0
    for (const { name, sla } of route.classes) {
      const key = classKey(route.name, name)
      const ofClass = arrivals[key]?.rate ?? 0
      if (sla === undefined) rate += ofClass
      else rows[key] = targetIndex(sla, ofClass, current[key] ?? 0)
    }
    rows[route.name] = targetIndex(route.sla, rate, current[route.name] ?? 0)
  }
  return rows
}
