import { APP_ORIGIN } from './defaults.ts'
/** The configuration after checking, with every default filled in: what the rest of the code reads. */

export type Granularity = 'session' | 'request'
export type Mode = 'enforce' | 'observe' | 'off'
export type StartupRule = 'cached' | 'admit' | 'refuse'
export type FailureRule = 'local' | 'open' | 'closed'
export type Order = 'value' | 'density'
export type PoliceRule = 'threshold' | 'batch' | 'auto'

export interface Config {
  readonly routes: readonly Route[]
}

export interface Route {
  readonly name: string
  readonly match: RouteMatch
  /** null: the handlers behind the middleware are the origin. */
  readonly origin: OriginPool | null
  readonly sla: Sla
  /** Most valuable first is not required: the first that matches wins. The last one matches everything. */
  readonly classes: readonly RouteClass[]
  readonly granularity: Granularity
  readonly session: SessionRules
  readonly learner: LearnerChoice
  readonly tickMs: number
  readonly mode: Mode
  readonly startup: StartupRule
  readonly failure: FailureRule
  readonly refusal: Refusal
  readonly bypass: readonly RequestMatch[]
  /** Who comes first: the most valuable, or the most valuable for the load that they bring. */
  readonly order: Order
  readonly police: PoliceRule
  /** Within a class, small requests come first. */
  readonly smallFirst: boolean
  /** null: one client may take all. */
  readonly fairness: FairnessRules | null
  /** Send `Tidegate-Verdict` with every answer. */
  readonly verdictHeader: boolean
}

export interface RouteMatch {
  /** `shop.example.com`, `*.example.com` or `*`. */
  readonly host: string
  // `/cart`, `/shop/*`, `/items/*/buy`: `*` is one segment, at the end any number of them.
  readonly path: string
}

export interface OriginPool {
  /** Routes with the same name share one coordinator, because they share its capacity. */
  readonly name: string
  readonly servers: readonly OriginServer[]
  readonly timeoutMs: number
}

export interface OriginServer {
  readonly url: string
  readonly weight: number
}

export interface Sla {
  /** In per cent: 95 means that 95 of 100 requests are to be within the target. */
  readonly percentile: number
  /** The target in force from each arrival rate on, ascending; the first starts at rate 0. */
  readonly targets: readonly SlaTarget[]
  readonly windowMs: number
}

export interface SlaTarget {
  /** In the route's granularity: new sessions/s or requests/s. */
  readonly fromRate: number
  readonly targetMs: number
}

export interface RouteClass {
  readonly name: string
  readonly value: number
  readonly guaranteed: number
  /** Which type of request this is, for origins whose parts saturate one by one. */
  readonly tier: string
  readonly match: RequestMatch
}

/** All keys that are there must hold; a list holds when one of its values does. */
export interface RequestMatch {
  readonly path?: readonly string[]
  readonly method?: readonly string[]
  readonly header?: Readonly<Record<string, readonly string[]>>
  readonly cookie?: Readonly<Record<string, readonly string[]>>
  readonly query?: Readonly<Record<string, readonly string[]>>
  readonly country?: readonly string[]
  readonly asn?: readonly number[]
  /** Addresses or CIDR ranges, IPv4 and IPv6. */
  readonly ip?: readonly string[]
}

export interface SessionRules {
  readonly idleMs: number
  readonly longestMs: number
  readonly cookie: string
}

export interface LearnerChoice {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

export interface FairnessRules {
  /** Whom to count as one client. */
  readonly by: ClientKey
  /** The part of a class's admissions that one may have while others are refused. */
  readonly maxShare: number
  /** So many within some ten seconds are never too many. */
  readonly least: number
}

/** Whoever does not send the header or cookie counts by the range of the address. */
export type ClientKey = 'ip' | 'range' | { readonly header: string } | { readonly cookie: string }

export interface Refusal {
  readonly status: 503 | 429
  /** HTML for browsers; null: the built-in page. */
  readonly page: string | null
  readonly retryMinS: number
  readonly retryMaxS: number
}

/** The name of the origin behind a route: routes with the same name share one coordinator. */
export const originNameOf = (route: Route): string => route.origin?.name ?? APP_ORIGIN
