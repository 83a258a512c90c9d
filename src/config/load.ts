import { resolveOptions } from '../lib/option-table.ts'
import type { Config, Route, RouteClass } from './config.ts'
import { takesEverything } from './contradictions/coverage.ts'
import { draftRoutes, REST_CLASS, type RouteDraft } from './contradictions/draft.ts'
import type { LearnerTables } from './contradictions/learner.ts'
import { checkRoute } from './contradictions/route.ts'
import { checkRoutes } from './contradictions/routes.ts'
import { ConfigError, type Fault, type Path, type Problem, pathText } from './errors/problem.ts'
import { quote } from './errors/wording.ts'
import { parse } from './schema/parse.ts'

export interface ResolveOptions {
  /** Behind the middleware a route needs no origin: the handlers are one. */
  readonly origin: 'required' | 'optional'
  /** The learners' tables of options, by name. */
  readonly learners: LearnerTables
  /** What else is asked of each route. */
  readonly alsoCheck?: (route: RouteDraft, isGiven: (path: Path) => boolean) => readonly Fault[]
}

export type Resolution =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Checks what a user wrote and fills in every default; all problems come at once, and it never throws. */
export function resolveConfig(
  input: unknown,
  { origin, learners, alsoCheck = () => [] }: ResolveOptions,
): Resolution {
  const parsed = parse(input, origin)
  const routes = draftRoutes(parsed)
  const faults = [
    ...parsed.faults,
    ...routes.flatMap((route) => checkRoute(route, learners, parsed.isGiven)),
    ...checkRoutes(routes, learners, parsed.isGiven),
    ...routes.flatMap((route) => alsoCheck(route, parsed.isGiven)),
  ]
  if (faults.length > 0) return { ok: false, problems: problemsOf(faults, routes) }
  return { ok: true, config: { routes: routes.map((route) => finish(route as Whole, learners)) } }
}

/** The same, or a `ConfigError` with the full text for the user. */
export function loadConfig(input: unknown, options: ResolveOptions): Config {
  const resolution = resolveConfig(input, options)
  if (!resolution.ok) throw new ConfigError(resolution.problems)
  return resolution.config
}

/** A draft without a fault has all its parts. */
type Whole = Route & RouteDraft

function finish(draft: Whole, learners: LearnerTables): Route {
  const { path, isNameMade, ...route } = draft
  const { name, options } = route.learner
  const classes: readonly RouteClass[] = route.classes
  const isComplete = classes.some(({ match }) => takesEverything(match, route.match.path))
  return {
    ...route,
    classes: isComplete ? classes : [...classes, REST_CLASS],
    learner: { name, options: resolveOptions(learners[name]!, options) },
  }
}

/** By route, in the order of the routes; what is about no route comes first. */
function problemsOf(faults: readonly Fault[], routes: readonly RouteDraft[]): readonly Problem[] {
  const placed = faults.map((fault) => ({ fault, index: routeIndex(fault) }))
  placed.sort((a, b) => a.index - b.index)
  return placed.map(({ fault: { path, expected, found, remedy }, index }) => ({
    path: pathText(path),
    expected,
    found,
    remedy,
    route: index < 0 ? null : labelOf(routes[index], index),
  }))
}

function routeIndex({ path: [first, index] }: Fault): number {
  return first === 'routes' && typeof index === 'number' ? index : -1
}

function labelOf(route: RouteDraft | undefined, index: number): string {
  return route?.name === undefined ? `routes[${index}]` : `route ${quote(route.name)}`
}
