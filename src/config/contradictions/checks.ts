import type { OptionTable } from '../../lib/option-table.ts'
import { type Fault, isSound, type Path } from '../errors/problem.ts'
import type { ParsedRoute } from '../schema/schema.ts'

export type LearnerTables = Readonly<Record<string, OptionTable>>

export interface CheckContext {
  /** Whether the user wrote the key at this path within the route. Otherwise its value is a default. */
  readonly isGiven: (...path: Path) => boolean
  readonly learners: LearnerTables
}

/** A contradiction within a route. It is looked for only when the keys that it needs have no faults of their own. */
export interface RouteCheck {
  readonly needs: readonly (keyof ParsedRoute)[]
  /** The paths of the faults begin at the route. */
  check(route: ParsedRoute, context: CheckContext): Iterable<Fault>
}

/** A contradiction between a route and an earlier one. */
export interface PairCheck {
  readonly needs: RouteCheck['needs']
  check(route: ParsedRoute, other: OtherRoute, context: CheckContext): Fault | null
}

export interface OtherRoute {
  readonly route: ParsedRoute
  /** Its place in the configuration, for texts: `routes[0]`. */
  readonly place: string
}

interface CheckedRoutes {
  readonly routes: readonly ParsedRoute[]
  /** What is wrong with single keys. */
  readonly faults: readonly Fault[]
  readonly contextOf: (index: number) => CheckContext
}

export function runRouteChecks(
  { routes, faults, contextOf }: CheckedRoutes,
  checks: readonly RouteCheck[],
): readonly Fault[] {
  return routes.flatMap((route, i) =>
    checks
      .filter(({ needs }) => isRouteSound(faults, i, needs))
      .flatMap(({ check }) => [...check(route, contextOf(i))])
      .map((fault) => inRoute(fault, i)),
  )
}

/** Each check reports the first earlier route that contradicts. */
export function runPairChecks(
  { routes, faults, contextOf }: CheckedRoutes,
  checks: readonly PairCheck[],
): readonly Fault[] {
  return routes.flatMap((route, i) =>
    checks.flatMap(({ needs, check }) => {
      if (!isRouteSound(faults, i, needs)) return []
      for (const [j, other] of routes.slice(0, i).entries()) {
        if (!isRouteSound(faults, j, needs)) continue
        const fault = check(route, { route: other, place: `routes[${j}]` }, contextOf(i))
        if (fault !== null) return [inRoute(fault, i)]
      }
      return []
    }),
  )
}

export const isRouteSound = (faults: readonly Fault[], index: number, keys: RouteCheck['needs']) =>
  keys.every((key) => isSound(faults, ['routes', index, key]))

const inRoute = (fault: Fault, index: number): Fault => ({
  ...fault,
  path: ['routes', index, ...fault.path],
})
