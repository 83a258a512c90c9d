import type { Sla } from '../../config/config.ts'
import { classKey } from '../../protocol/class-key.ts'
import type { RouteSetup, Setup } from '../../protocol/feedback.ts'
import { unitOf } from '../build-sample.ts'
import { isApart } from '../class-sla.ts'

const LEAST_PART = 1e-6

type Arrivals = Readonly<Record<string, { readonly rate: number }>>

/**
 * The SLAs of an origin's routes, by the rate of the whole origin in the unit of its limit. The rows of a route's table are by the
 * arrivals of that route, which are only a part of what the origin gets.
 */
export function originSlas(
  setup: Setup,
  arrivals: Arrivals,
  requestsPerSession: number,
): readonly Sla[] {
  const routes = setup.routes.filter(({ mode }) => mode !== 'off')
  const isMixed = unitOf(setup) === 'request'
  const rateOf = (route: RouteSetup, isIn: (one: RouteSetup['classes'][number]) => boolean) =>
    route.classes
      .filter(isIn)
      .reduce((sum, { name }) => sum + (arrivals[classKey(route.name, name)]?.rate ?? 0), 0)
  const total = routes.reduce((sum, route) => {
    const perArrival = isMixed && route.granularity === 'session' ? requestsPerSession : 1
    return sum + perArrival * rateOf(route, (one) => !isApart(route, one))
  }, 0)
  return setup.routes.map((route) => {
    const { sla } = route
    const own = rateOf(route, (one) => one.sla === undefined)
    // Nearly without arrivals the first row is in force.
    if (!(own > LEAST_PART * total)) return { ...sla, targets: sla.targets.slice(0, 1) }
    const targets = sla.targets.map(({ fromRate, targetMs }) => ({
      fromRate: (fromRate * total) / own,
      targetMs,
    }))
    return { ...sla, targets }
  })
}
