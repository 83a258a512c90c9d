import { DEFAULT_CLASS, DEFAULTS } from './defaults.ts'
import type { Parsed } from './parse.ts'
import { slugOf, splitMatch } from './pattern.ts'
import type { Path } from './problem.ts'
import type { ParsedClass, ParsedRequestMatch, ParsedRoute } from './schema.ts'
import type { LearnerChoice, OriginPool, RequestMatch, Route, RouteClass, Sla } from './types.ts'

type Part = Exclude<keyof Route, 'classes'>

/**
 * A route in its resolved form, with `undefined` where the schema found a fault: contradictions are then
 * looked for among all that is sound, so that they are reported together with the faults.
 */
export type RouteDraft = { readonly [Key in Part]: Route[Key] | undefined } & {
  readonly path: Path
  readonly classes: readonly ClassDraft[]
  /** Whether `name` was made from `match`. */
  readonly isNameMade: boolean
}

export type ClassDraft = { readonly [Key in keyof RouteClass]: RouteClass[Key] | undefined }

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
    origin: part('origin', () => (route.origin === undefined ? null : poolOf(route.origin))),
    sla: part('sla', () => slaOf(route.sla)),
    classes: parsed.isThere([...path, 'classes'])
      ? route.classes.map((one, i) => draftClass(parsed, one, [...path, 'classes', i]))
      : [],
    granularity: part('granularity', () => route.granularity),
    session: part('session', () => ({
      idleMs: route.session.idleMs,
      longestMs: route.session.longestMs,
      cookie: route.session.cookie ?? `${DEFAULTS.session.cookiePrefix}${name}`,
    })),
    learner: part('learner', () => learnerOf(route.learner)),
    tickMs: part('tickMs', () => route.tickMs),
    mode: part('mode', () => route.mode),
    startup: part('startup', () => route.startup),
    failure: part('failure', () => route.failure),
    refusal: part('refusal', () => ({ ...route.refusal, page: route.refusal.page ?? null })),
    bypass: part('bypass', () => route.bypass.map(requestMatchOf)),
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

function poolOf(origin: NonNullable<ParsedRoute['origin']>): OriginPool {
  if (typeof origin === 'string')
    return poolOf({ url: origin, timeoutMs: DEFAULTS.origin.timeoutMs })
  const given =
    'servers' in origin ? origin.servers : [{ url: origin.url, weight: DEFAULTS.origin.weight }]
  const servers = given.map(({ url, weight }) => ({ url: new URL(url).origin, weight }))
  const urls = servers.map(({ url }) => url).sort()
  return { name: origin.name ?? urls.join(','), servers, timeoutMs: origin.timeoutMs }
}

function slaOf(sla: ParsedRoute['sla']): Sla {
  const { percentile, windowMs } = sla
  const targets = 'table' in sla ? sla.table : [{ fromRate: 0, targetMs: sla.targetMs }]
  return { percentile, targets, windowMs }
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
