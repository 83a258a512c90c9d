import type { Config, Mode, Route } from '../../config/config.ts'
import type { RouteStatus } from '../../coordinator/operator/route-status.ts'
import type { RequestView } from '../../request/request-view.ts'
import { RouteTable } from '../../request/route-table.ts'
import { splitUrl } from '../../request/url.ts'
import { type TriedRule, tryRule } from './rules-tried.ts'
import { type Foretold, foretell } from './verdict-now.ts'

/** Which route and class a request takes, which rules were tried, and what the verdict would be now. */
export interface Explanation {
  readonly url: string
  readonly method: string
  /** The path as the rules read it. There are several where servers differ in what they make of it. */
  readonly paths: readonly string[]
  /** In the order of the configuration, up to the one that takes the request. */
  readonly routesTried: readonly {
    readonly route: string
    readonly match: string
    readonly isMatch: boolean
  }[]
  /** null: no route matches. */
  readonly route: string | null
  readonly mode: Mode | null
  readonly bypassTried: readonly TriedRule[]
  /** Up to the class that takes the request. */
  readonly classesTried: readonly (TriedRule & { readonly class: string })[]
  readonly class: string | null
  readonly verdict: Foretold
}

/** A request as an operator describes it. */
export interface DescribedRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly ip?: string | undefined
  readonly country?: string | undefined
  readonly asn?: number | undefined
}

/** The part of the gate that knows the cookies. */
export interface CookieReader {
  hasSession(route: Route, view: RequestView): boolean
  /** Seconds until the time that the last refusal named; 0: none, or it is over. */
  waitS(route: Route, view: RequestView): number
}

export async function explain(
  { routes }: Config,
  described: DescribedRequest,
  cookies: CookieReader,
  statusOf: (route: Route) => Promise<RouteStatus | null>,
): Promise<Explanation> {
  const view = viewOf(described)
  const { route, tried } = findRoute(routes, view)
  const base = {
    ...{ url: described.url, method: described.method, paths: view.url.readings },
    routesTried: tried,
  }
  if (route === null) {
    const verdict = foretell({ kind: 'no-route' })
    return {
      ...{ ...base, route: null, mode: null, bypassTried: [], classesTried: [] },
      ...{ class: null, verdict },
    }
  }
  const status = await statusOf(route)
  const mode = status?.mode ?? route.mode
  const bypassTried = route.bypass.map((match) => tryEveryReading(match, view))
  const classes = triedClasses(route, view)
  const verdict = foretell({
    ...{ kind: 'route', route, mode, plan: status?.plan ?? null, className: classes.name },
    isBypassed: bypassTried.some(({ isMatch }) => isMatch),
    isPreflight: isPreflight(view),
    hasSession: cookies.hasSession(route, view),
    waitS: cookies.waitS(route, view),
  })
  return {
    ...{ ...base, route: route.name, mode, bypassTried },
    ...{ classesTried: classes.tried, class: classes.name, verdict },
  }
}

function viewOf({ url, method, headers, ip, country, asn }: DescribedRequest): RequestView {
  const given = new Headers(headers)
  // Browsers forbid these methods to scripts, and nothing is sent.
  const request = { url, method, headers: given, cf: { country, asn } } as unknown as Request
  return {
    ...{ request, headers: given, url: splitUrl(url) },
    ...{ ip: ip ?? null, cookies: given.get('Cookie') },
  }
}

function findRoute(routes: readonly Route[], view: RequestView) {
  const found = tableOf(routes).first(view.url)?.route ?? null
  const tried: { route: string; match: string; isMatch: boolean }[] = []
  for (const route of routes) {
    const { host, path } = route.match
    const isMatch = tableOf([route]).first(view.url) !== null
    tried.push({ route: route.name, match: `${host === '*' ? '' : host}${path}`, isMatch })
    if (route === found) break
  }
  return { route: found, tried }
}

const tableOf = (routes: readonly Route[]) =>
  new RouteTable(routes.map((route) => ({ route, mode: route.mode })))

/** A bypass must match every reading of the path. */
function tryEveryReading(match: Route['bypass'][number], view: RequestView): TriedRule {
  const tried = view.url.readings.map((path) => tryRule(match, view, path))
  return tried.find(({ isMatch }) => !isMatch) ?? tried[0]!
}

/** Where readings lead to different classes, the least favoured one takes the request. */
function triedClasses({ classes }: Route, view: RequestView) {
  const perReading = view.url.readings.map((path) => {
    const tried: (TriedRule & { class: string })[] = []
    for (const { name, match } of classes) {
      const rule = tryRule(match, view, path)
      tried.push({ class: name, ...rule })
      if (rule.isMatch) break
    }
    return { tried, taken: classes[tried.length - 1]! }
  })
  const lowest = perReading.reduce((a, b) => {
    const [x, y] = [a.taken, b.taken]
    const isLower = x.guaranteed === y.guaranteed ? y.value < x.value : y.guaranteed < x.guaranteed
    return isLower ? b : a
  })
  return { tried: lowest.tried, name: lowest.taken.name }
}

function isPreflight({ request, headers }: RequestView): boolean {
  return (
    request.method === 'OPTIONS' &&
    headers.has('Origin') &&
    headers.has('Access-Control-Request-Method')
  )
}
