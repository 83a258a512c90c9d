import { resolveOptions } from '../lib/option-table.ts'
import type { Route, RouteClass } from './config.ts'
import type { LearnerTables } from './contradictions/checks.ts'
import { takesEverything } from './contradictions/coverage.ts'
import { DEFAULT_CLASS, DEFAULTS } from './defaults.ts'
import { slugOf } from './schema/patterns.ts'
import type { ParsedRoute } from './schema/schema.ts'

/** Defaults that depend on other keys of the route. */

export const nameOf = ({ name, match }: ParsedRoute): string => name ?? slugOf(match)

export const cookieOf = (route: ParsedRoute): string =>
  route.session.cookie ?? `${DEFAULTS.session.cookiePrefix}${nameOf(route)}`

const REST_CLASS: RouteClass = { name: DEFAULT_CLASS, ...DEFAULTS.class, match: {} }

/** A route without faults, with every default filled in. */
export function resolveRoute(route: ParsedRoute, learners: LearnerTables): Route {
  const { match, classes, session, origin = null, learner } = route
  const isComplete = classes.some((one) => takesEverything(one.match, match.path))
  return {
    ...route,
    name: nameOf(route),
    origin,
    classes: isComplete ? classes : [...classes, REST_CLASS],
    session: { ...session, cookie: cookieOf(route) },
    learner: { ...learner, options: resolveOptions(learners[learner.name]!, learner.options) },
  }
}
