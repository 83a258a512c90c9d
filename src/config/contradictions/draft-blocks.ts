import type { OriginPool, OriginServer, Refusal, SessionRules, Sla, SlaTarget } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import type { Path } from '../errors/problem.ts'
import type { Parsed } from '../schema/parse.ts'
import type { ParsedRoute } from '../schema/schema.ts'

/** A block with `undefined` where the schema found a fault. */
export type Draft<T> = { readonly [Key in keyof T]: T[Key] | undefined }

export type PoolDraft = Draft<Omit<OriginPool, 'servers'>> & {
  readonly servers: readonly Draft<OriginServer>[] | undefined
}

export type SlaDraft = Draft<Omit<Sla, 'targets'>> & {
  readonly targets: readonly Draft<SlaTarget>[] | undefined
}

/** Makes the part under a key, where that is sound. */
type PartOf = <T>(key: string, make: () => T) => T | undefined

function partsOf(parsed: Parsed, path: Path): PartOf {
  // Beside a misspelt key a default is no more than a guess at what the user wants.
  const isGuess = (at: Path) => parsed.hasUnknownKey(path) && !parsed.isGiven(at)
  return (key, make) => {
    const at = [...path, key]
    return parsed.isSound(at) && !isGuess(at) ? make() : undefined
  }
}

export function draftOrigin(
  parsed: Parsed,
  route: ParsedRoute,
  routePath: Path,
): PoolDraft | null | undefined {
  const path = [...routePath, 'origin']
  if (!parsed.isThere(path)) return undefined
  const { origin } = route
  if (origin === undefined) return null
  const { timeoutMs, weight } = DEFAULTS.origin
  if (typeof origin === 'string') {
    const url = new URL(origin).origin
    return { name: url, servers: [{ url, weight }], timeoutMs }
  }
  const part = partsOf(parsed, path)
  const servers =
    'servers' in origin
      ? draftServers(parsed, origin.servers, [...path, 'servers'])
      : [{ url: part('url', () => new URL(origin.url).origin), weight }]
  return {
    name: part('name', () => origin.name ?? (servers && nameOf(servers))),
    servers,
    timeoutMs: part('timeoutMs', () => origin.timeoutMs),
  }
}

function draftServers(
  parsed: Parsed,
  servers: readonly OriginServer[],
  path: Path,
): readonly Draft<OriginServer>[] | undefined {
  if (!parsed.isThere(path)) return undefined
  return servers.map((server, i) => {
    const part = partsOf(parsed, [...path, i])
    return {
      url: part('url', () => new URL(server.url).origin),
      weight: part('weight', () => server.weight),
    }
  })
}

function nameOf(servers: readonly Draft<OriginServer>[]): string | undefined {
  const urls = servers.map(({ url }) => url)
  return urls.includes(undefined) ? undefined : urls.sort().join(',')
}

export function draftSla(
  parsed: Parsed,
  route: ParsedRoute,
  routePath: Path,
): SlaDraft | undefined {
  const path = [...routePath, 'sla']
  if (!parsed.isThere(path)) return undefined
  const { sla } = route
  const part = partsOf(parsed, path)
  return {
    percentile: part('percentile', () => sla.percentile),
    targets: draftTargets(parsed, sla, path),
    windowMs: part('windowMs', () => sla.windowMs),
  }
}

function draftTargets(
  parsed: Parsed,
  sla: ParsedRoute['sla'],
  path: Path,
): readonly Draft<SlaTarget>[] | undefined {
  if (!parsed.isThere([...path, 'table'])) return undefined
  if (!('table' in sla)) {
    const targetMs = partsOf(parsed, path)('targetMs', () => sla.targetMs)
    return [{ fromRate: 0, targetMs }]
  }
  return sla.table.map((row, i) => {
    const part = partsOf(parsed, [...path, 'table', i])
    return {
      fromRate: part('fromRate', () => row.fromRate),
      targetMs: part('targetMs', () => row.targetMs),
    }
  })
}

/** The cookie is named after the route where the user named none. */
export function draftSession(
  parsed: Parsed,
  route: ParsedRoute,
  routePath: Path,
  routeName: string | undefined,
): Draft<SessionRules> | undefined {
  const path = [...routePath, 'session']
  if (!parsed.isThere(path)) return undefined
  const { session } = route
  const part = partsOf(parsed, path)
  return {
    idleMs: part('idleMs', () => session.idleMs),
    longestMs: part('longestMs', () => session.longestMs),
    cookie: part('cookie', () => {
      if (session.cookie !== undefined) return session.cookie
      return routeName === undefined ? undefined : `${DEFAULTS.session.cookiePrefix}${routeName}`
    }),
  }
}

export function draftRefusal(
  parsed: Parsed,
  route: ParsedRoute,
  routePath: Path,
): Draft<Refusal> | undefined {
  const path = [...routePath, 'refusal']
  if (!parsed.isThere(path)) return undefined
  const { refusal } = route
  const part = partsOf(parsed, path)
  return {
    status: part('status', () => refusal.status),
    page: part('page', () => refusal.page ?? null),
    retryMinS: part('retryMinS', () => refusal.retryMinS),
    retryMaxS: part('retryMaxS', () => refusal.retryMaxS),
  }
}
