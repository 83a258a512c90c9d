import type {
  LearnerChoice,
  Refusal,
  RequestMatch,
  Route,
  RouteClass,
  SessionRules,
} from '../config.ts'
import { DEFAULT_CLASS, DEFAULTS } from '../defaults.ts'
import type { Path } from '../errors/problem.ts'
import type { Parsed } from '../schema/parse.ts'
import { slugOf, splitMatch } from '../schema/patterns.ts'
import type { ParsedClass, ParsedRequestMatch, ParsedRoute } from '../schema/schema.ts'
import {
  type Draft,
  draftOrigin,
  draftRefusal,
  draftSession,
  draftSla,
  type PoolDraft,
  type SlaDraft,
} from './draft-blocks.ts'

/** Those of several keys: one faulty key leaves the others to be looked at. */
type Block = 'origin' | 'sla' | 'classes' | 'session' | 'refusal' | 'bypass'
type Part = Exclude<keyof Route, Block>

/**
 * A route in its resolved form, with `undefined` where the schema found a fault: contradictions are then
 * looked for among all that is sound, so that they are reported together with the faults.
 */
export type RouteDraft = { readonly [Key in Part]: Route[Key] | undefined } & {
  readonly path: Path
  /** null: the handlers behind the middleware. */
  readonly origin: PoolDraft | null | undefined
  readonly sla: SlaDraft | undefined
  readonly classes: readonly ClassDraft[]
  readonly session: Draft<SessionRules> | undefined
  readonly refusal: Draft<Refusal> | undefined
  readonly bypass: readonly (RequestMatch | undefined)[]
  /** Whether `name` was made from `match`. */
  readonly isNameMade: boolean
}

export type ClassDraft = Draft<RouteClass>

export function draftRoutes(parsed: Parsed): readonly RouteDraft[] {
  if (!parsed.isThere(['routes'])) return []
  return parsed.value.routes.map((route, i) => draftRoute(parsed, route, ['routes', i]))
}

function draftRoute(parsed: Parsed, route: ParsedRoute, path: Path): RouteDraft {
  const part = <T>(key: keyof ParsedRoute, make: () => T): T | undefined =>
    parsed.isSound([...path, key]) ? make() : undefined
  const match = part('match', () => matchOf(route.match))
  const name = part('name', () => route.name ?? (match && slugOf(match)))
  return {
    path,
    match,
    name,
    isNameMade: part('name', () => route.name) === undefined,
    origin: draftOrigin(parsed, route, path),
    sla: draftSla(parsed, route, path),
    classes: parsed.isThere([...path, 'classes'])
      ? route.classes.map((one, i) => draftClass(parsed, one, [...path, 'classes', i]))
      : [],
    granularity: part('granularity', () => route.granularity),
    session: draftSession(parsed, route, path, name),
    learner: part('learner', () => learnerOf(route.learner)),
    tickMs: part('tickMs', () => route.tickMs),
    mode: part('mode', () => route.mode),
    startup: part('startup', () => route.startup),
    failure: part('failure', () => route.failure),
    refusal: draftRefusal(parsed, route, path),
    bypass: parsed.isThere([...path, 'bypass'])
      ? route.bypass.map((one, i) =>
          parsed.isSound([...path, 'bypass', i]) ? requestMatchOf(one) : undefined,
        )
      : [],
    verdictHeader: part('verdictHeader', () => route.verdictHeader),
    order: part('order', () => route.order),
    police: part('police', () => route.police),
    smallFirst: part('smallFirst', () => route.smallFirst),
    fairness: part('fairness', () => (route.fairness === false ? null : route.fairness)),
  }
}

function draftClass(parsed: Parsed, one: ParsedClass, path: Path): ClassDraft {
  const part = <T>(key: keyof ParsedClass, make: () => T): T | undefined =>
    parsed.isSound([...path, key]) ? make() : undefined
  return {
    name: part('name', () => one.name),
    value: part('value', () => one.value),
    guaranteed: part('guaranteed', () => one.guaranteed),
    tier: part('tier', () => one.tier),
    match: part('match', () => requestMatchOf(one.match)),
  }
}

/** The class for the rest, where no other takes everything. */
export const REST_CLASS: RouteClass = { name: DEFAULT_CLASS, ...DEFAULTS.class, match: {} }

function matchOf(match: ParsedRoute['match']): Route['match'] {
  return typeof match === 'string'
    ? splitMatch(match)
    : { ...match, host: match.host.toLowerCase() }
}

function learnerOf(learner: ParsedRoute['learner']): LearnerChoice {
  if (typeof learner === 'string') return { name: learner, options: {} }
  const { name, ...options } = learner
  return { name, options }
}

type Listed<T> = T | readonly T[]

function requestMatchOf(match: ParsedRequestMatch): RequestMatch {
  const { path, method, header, cookie, query, country, asn, ip } = match
  return {
    ...(path !== undefined && { path: list(path) }),
    ...(method !== undefined && { method: list<string>(method) }),
    ...(header !== undefined && { header: byName(header, (name) => name.toLowerCase()) }),
    ...(cookie !== undefined && { cookie: byName(cookie) }),
    ...(query !== undefined && { query: byName(query) }),
    ...(country !== undefined && { country: list(country).map((code) => code.toUpperCase()) }),
    ...(asn !== undefined && { asn: list(asn) }),
    ...(ip !== undefined && { ip: list(ip) }),
  }
}

function list<T extends string | number>(value: Listed<T>): readonly T[] {
  return typeof value === 'object' ? value : [value]
}

function byName(
  values: Readonly<Record<string, true | Listed<string>>>,
  fold: (name: string) => string = (name) => name,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      fold(name),
      value === true ? ['*'] : list(value),
    ]),
  )
}
