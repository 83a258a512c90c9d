import * as v from 'valibot'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { Config } from './config.ts'
import {
  isRouteSound,
  type LearnerTables,
  type RouteCheck,
  runPairChecks,
  runRouteChecks,
} from './contradictions/checks.ts'
import { ROUTE_CHECKS } from './contradictions/route.ts'
import { PAIR_CHECKS } from './contradictions/routes.ts'
import {
  ConfigError,
  type Fault,
  isSound,
  type Path,
  type Problem,
  pathText,
} from './errors/problem.ts'
import { quote } from './errors/wording.ts'
import { nameOf, resolveRoute } from './resolve.ts'
import { withGroups } from './resolve-capacity.ts'
import { faultsOf } from './schema/explain.ts'
import {
  middlewareSchema,
  type ParsedConfig,
  type ParsedRoute,
  proxySchema,
} from './schema/schema.ts'

interface ResolveOptions {
  /** Behind the middleware a route needs no origin: the app's handlers are the origin. */
  readonly origin: 'required' | 'optional'
  /** The option tables of the learners, by name. */
  readonly learners: LearnerTables
  /** Further checks of each route. */
  readonly alsoCheck?: readonly RouteCheck[]
}

type Resolution =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Checks what a user wrote and fills in every default. It reports all problems at once and never throws. */
export function resolveConfig(
  input: unknown,
  { origin, learners, alsoCheck = [] }: ResolveOptions,
): Resolution {
  const schema = origin === 'required' ? proxySchema : middlewareSchema
  const { output, issues } = v.safeParse(schema, input, { abortPipeEarly: true })
  const faults = faultsOf(issues)
  const hasRoutes = isSound(
    faults.filter(({ path }) => path.length < 2),
    ['routes'],
  )
  // Where there are faults, only the routes and keys without one have their types.
  const routes = hasRoutes ? (output as ParsedConfig).routes : []
  const contextOf = (index: number) => ({
    learners,
    isGiven: (...path: Path) => isGiven(input, ['routes', index, ...path]),
  })
  const checked = { routes, faults, contextOf }
  const all = [
    ...faults,
    ...runRouteChecks(checked, ROUTE_CHECKS),
    ...runPairChecks(checked, PAIR_CHECKS),
    ...runRouteChecks(checked, alsoCheck),
  ]
  if (all.length > 0) return { ok: false, problems: problemsOf(all, routes, faults) }
  const { clientIp } = output as ParsedConfig
  const resolved = routes.map((route) => resolveRoute(route, learners))
  return { ok: true, config: { clientIp, routes: withGroups(resolved) } }
}

/** The same, but throws a `ConfigError` with the full text for the user. */
export function loadConfig(input: unknown, options: ResolveOptions): Config {
  const resolution = resolveConfig(input, options)
  if (!resolution.ok) throw new ConfigError(resolution.problems)
  return resolution.config
}

/** The configuration of a stand-alone Worker: every route has an origin. */
export function loadStandAloneConfig(input: unknown): Config {
  return loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
}

function isGiven(input: unknown, [key, ...rest]: Path): boolean {
  if (key === undefined) return input !== undefined
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, key)) return false
  return isGiven((input as Readonly<Record<string | number, unknown>>)[key], rest)
}

/** By route, in the order of the routes. Problems of no single route come first. */
function problemsOf(
  all: readonly Fault[],
  routes: readonly ParsedRoute[],
  faults: readonly Fault[],
): readonly Problem[] {
  const labelOf = (index: number): string => {
    const route = routes[index]
    const needs = route?.name === undefined ? (['name', 'match'] as const) : (['name'] as const)
    const isNamed = route !== undefined && isRouteSound(faults, index, needs)
    return isNamed ? `route ${quote(nameOf(route))}` : `routes[${index}]`
  }
  return all
    .map((fault) => ({ fault, index: routeIndex(fault) }))
    .sort((a, b) => a.index - b.index)
    .map(({ fault, index }) => ({
      ...fault,
      path: pathText(fault.path),
      route: index < 0 ? null : labelOf(index),
    }))
}

function routeIndex({ path: [first, index] }: Fault): number {
  return first === 'routes' && typeof index === 'number' ? index : -1
}
