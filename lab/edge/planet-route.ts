import type { Route } from '../../src/config/config.ts'
import { routeOf } from './route.ts'

/** A route for single requests with a limit that is known. */
export function planetRoute(limit: number): Route {
  return routeOf(
    {
      granularity: 'request',
      tickMs: 1000,
      sla: { percentile: 95, targetMs: 1000, windowMs: 60_000 },
      classes: [{ name: 'all', value: 1 }],
      tiers: ['tier'],
    },
    { learner: { name: 'fixed', options: { limit } } },
  )
}
