import type { Route } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import { PLAN_VERSION, type Plan } from '../../src/protocol/plan.ts'
import type { RequestView } from '../../src/request/request-view.ts'
import { splitUrl } from '../../src/request/url.ts'

export const SECRET = 'a secret of the tests, long enough to be one'
export const OLDER_SECRET = 'the secret before it, which still verifies'

/** Resolved routes. The default name is `shop`, and the default match is `/*`. */
export function routesOf(...routes: object[]): readonly Route[] {
  const input = {
    routes: routes.map((keys) => ({
      name: 'shop',
      match: '/*',
      origin: 'https://origin.example.com',
      // Most tests are about refusals.
      whenFull: 'refuse',
      ...keys,
    })),
  }
  return loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS }).routes
}

export const routeOf = (keys: object = {}): Route => routesOf(keys)[0]!

export interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly cf?: { readonly country?: string; readonly asn?: number }
  readonly ip?: string
}

/** The view of a request. A path alone is for https://shop.example.com. */
export function viewOf(url: string, { method = 'GET', headers = {}, cf, ip }: Asked = {}) {
  const whole = url.startsWith('/') ? `https://shop.example.com${url}` : url
  const request = new Request(whole, { method, headers })
  // The property of workerd cannot be assigned to.
  Object.defineProperty(request, 'cf', { value: cf })
  const cookies = request.headers.get('Cookie')
  return {
    request,
    headers: request.headers,
    url: splitUrl(whole),
    ip: ip ?? null,
    cookies,
  } satisfies RequestView
}

/** The part of `Set-Cookie` that a browser sends back. */
export const cookieOf = (setCookie: string): string => setCookie.split(';')[0]!

export interface Planned {
  readonly drawLimit?: number | null
  readonly burst?: number
  readonly inFlightCap?: number | null
  readonly targetMs?: number
  readonly load?: Plan['load']
  readonly setup?: Plan['setup']
  readonly seq?: number
  readonly soldOut?: true
  readonly events?: Plan['routes'][string]['events']
  readonly revoked?: Plan['revoked']
  /** Default: longer than any test, so that no plan becomes stale. */
  readonly goodForMs?: number
  readonly calmMs?: number
  /** By class of the route `shop`. */
  readonly classes?: Readonly<Record<string, Partial<Plan['routes'][string]['classes'][string]>>>
}

/** A plan for the route `shop`, by default without a limit. */
export function planOf(given: Planned = {}): Plan {
  const classes = Object.entries(given.classes ?? { default: {} }).map(([name, keys]) => [
    name,
    { probability: 1, guaranteed: 0, conforming: 0, cost: 1, rank: 0, ...keys },
  ])
  return {
    version: PLAN_VERSION,
    origin: 'https://origin.example.com',
    seq: given.seq ?? 1,
    issuedAtMs: 0,
    goodForMs: given.goodForMs ?? 3_600_000,
    ...(given.calmMs === undefined ? {} : { calmMs: given.calmMs }),
    setup: given.setup ?? { id: 'none of ours', sinceMs: 0 },
    drawLimit: given.drawLimit ?? null,
    burst: given.burst ?? 3,
    inFlightCap: given.inFlightCap ?? null,
    ...(given.load ? { load: given.load } : {}),
    ...(given.revoked ? { revoked: given.revoked } : {}),
    routes: {
      shop: {
        limit: given.drawLimit ?? null,
        reason: 'fixed',
        targetMs: given.targetMs ?? 1000,
        ...(given.soldOut ? { soldOut: true } : {}),
        ...(given.events ? { events: given.events } : {}),
        classes: Object.fromEntries(classes),
      },
    },
  }
}
