import { resolveOptions } from '../lib/option-table.ts'
import type { Route, RouteClass, WhenFullStep } from './config.ts'
import type { LearnerTables } from './contradictions/checks.ts'
import { takesEverything } from './contradictions/coverage.ts'
import { DEFAULT_CLASS, DEFAULTS } from './defaults.ts'
import { resolveCapacity } from './resolve-capacity.ts'
import { slugOf } from './schema/patterns.ts'
import type { ParsedRoute } from './schema/schema.ts'

/** Defaults that depend on other keys of the route. */

export const nameOf = ({ name, match }: ParsedRoute): string => name ?? slugOf(match)

export const cookieOf = (route: ParsedRoute): string =>
  route.session.cookie ?? `${DEFAULTS.session.cookiePrefix}${nameOf(route)}`

/** What the user wrote, or the default of the granularity. After a step that may let a request pass on comes a refusal. */
function stepsOf({ whenFull, granularity }: ParsedRoute): readonly WhenFullStep[] {
  const steps = whenFull ?? DEFAULTS.whenFull[granularity]
  return LAST_STEPS.has(steps.at(-1)!) ? steps : [...steps, 'refuse']
}

/** Every request that comes to one of these steps is answered by it. */
export const LAST_STEPS: ReadonlySet<WhenFullStep> = new Set(['queue', 'refuse'])

const REST_CLASS: RouteClass = { name: DEFAULT_CLASS, ...DEFAULTS.class, match: {} }

/** A route without faults, with every default filled in. */
export function resolveRoute(route: ParsedRoute, learners: LearnerTables): Route {
  const { match, classes, session, origin = null, learner, capacity } = route
  const isComplete = classes.some((one) => takesEverything(one.match, match.path))
  return {
    ...route,
    name: nameOf(route),
    origin,
    capacity:
      capacity === undefined ? null : resolveCapacity(capacity, origin?.servers.length ?? 1),
    classes: isComplete ? classes : [...classes, REST_CLASS],
    session: { ...session, cookie: cookieOf(route) },
    whenFull: stepsOf(route),
    degrade: route.degrade ?? null,
    redirect: route.redirect ?? null,
    learner: { ...learner, options: resolveOptions(learners[learner.name]!, learner.options) },
  }
}
