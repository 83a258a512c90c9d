import type { Sla } from '../../config/config.ts'
import { classKey } from '../../protocol/class-key.ts'
import type { RouteSetup, Setup } from '../../protocol/feedback.ts'
import { unitOf } from '../build-sample.ts'
import type { ClassSetup } from '../class-sla.ts'

const LEAST_PART = 1e-6

type Arrivals = Readonly<Record<string, { readonly rate: number }>>

/** An SLA that the origin's servers must keep. */
export interface PlannedSla extends Sla {
  /** Key of the class that it judges. Absent: it judges the classes of a route that have none of their own. */
  readonly ofClass?: string
}

/**
 * The SLAs of an origin's routes and classes, by the rate of the whole origin in the unit of its limit. The rows of a table are
 * by the arrivals of its route or class, which are only a part of what the origin gets.
 */
export function originSlas(
  setup: Setup,
  arrivals: Arrivals,
  requestsPerSession: number,
): readonly PlannedSla[] {
  const routes = setup.routes.filter(({ mode }) => mode !== 'off')
  const isMixed = unitOf(setup) === 'request'
  const rateOf = ({ name: route }: RouteSetup, classes: readonly ClassSetup[]) =>
    classes.reduce((sum, { name }) => sum + (arrivals[classKey(route, name)]?.rate ?? 0), 0)
  const total = routes.reduce((sum, route) => {
    const perArrival = isMixed && route.granularity === 'session' ? requestsPerSession : 1
    return sum + perArrival * rateOf(route, route.classes)
  }, 0)
  return setup.routes.flatMap((route) => {
    const others = route.classes.filter(({ sla }) => sla === undefined)
    const ofRoute = others.length === 0 ? [] : [byRate(route.sla, total, rateOf(route, others))]
    const ofClasses = route.classes.flatMap((one) => {
      if (one.sla === undefined) return []
      const sla = byRate(one.sla, total, rateOf(route, [one]))
      return [{ ...sla, ofClass: classKey(route.name, one.name) }]
    })
    return [...ofRoute, ...ofClasses]
  })
}

/** The table of an SLA by the rate of the origin, of which `own` arrivals are judged by it. */
function byRate(sla: Sla, total: number, own: number): Sla {
  // Nearly without arrivals the first row is in force.
  if (!(own > LEAST_PART * total)) return { ...sla, targets: sla.targets.slice(0, 1) }
  const targets = sla.targets.map(({ fromRate, targetMs }) => ({
    fromRate: (fromRate * total) / own,
    targetMs,
  }))
  return { ...sla, targets }
}
