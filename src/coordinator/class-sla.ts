import type { Sla } from '../config/config.ts'
import { classKey } from '../protocol/class-key.ts'
import type { ClassFeedback, RouteFeedback, RouteSetup } from '../protocol/feedback.ts'

/** By route or class key: index of the target in force in the SLA's table. */
type TargetsInForce = Readonly<Record<string, number>>

export type ClassSetup = RouteSetup['classes'][number]

/**
 * A class with an SLA of its own, on a route that admits single requests, is limited by itself: it has a learner of its
 * own (Welsh and Culler 2003, §3.3). So a slow type of request does not shrink the limit of all others. On session
 * routes the requests of a session pass in every class, so there the SLA only judges them.
 */
export function isApart({ granularity }: RouteSetup, { sla }: ClassSetup): boolean {
  return sla !== undefined && granularity === 'request'
}

export const slaOf = ({ sla }: RouteSetup, klass: ClassSetup): Sla => klass.sla ?? sla

/** What a report shows of the classes that the route's own target judges. */
export function underRouteTarget(
  { classes }: RouteSetup,
  feedback: RouteFeedback | undefined,
): readonly ClassFeedback[] {
  const seen = feedback?.classes ?? {}
  const names = classes.flatMap(({ name, sla }) => (sla === undefined ? [name] : []))
  return names.flatMap((name) => seen[name] ?? [])
}

/** The route's target in force, by the row of its table. */
export function targetMsOf(route: RouteSetup, targets: TargetsInForce): number {
  return inForce(route.sla, targets[route.name])
}

/** The target in force of a class: its own, or its route's. */
export function classTargetMs(
  route: RouteSetup,
  { name, sla }: ClassSetup,
  targets: TargetsInForce,
): number {
  return sla === undefined
    ? targetMsOf(route, targets)
    : inForce(sla, targets[classKey(route.name, name)])
}

const inForce = ({ targets }: Sla, index = 0): number => (targets[index] ?? targets[0]!).targetMs
