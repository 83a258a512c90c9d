import type { FailureRule, Granularity, Mode, Order, PoliceRule, StartupRule } from './config.ts'
import type { HttpMethod } from './schema/methods.ts'

/**
 * What a user writes, in TypeScript or as JSON. The text of each key is what the editor shows, and is
 * also the description in the JSON Schema (`npm run config -- schema`).
 */
export interface TidegateConfig {
  /** Address of the JSON Schema, for editors of JSON files; has no effect. */
  readonly $schema?: string
  /** The routes; the first that matches a request takes it. At least one. */
  readonly routes: readonly RouteConfig[]
}

export interface RouteConfig {
  /** Name in the plan, in the admin API and in errors. 1 to 64 letters, digits, `.`, `_`, `-`. Default: made from `match`: `/shop/*` is `shop`, `/*` is `site`. */
  readonly name?: string
  /** Which requests: `/shop/*`, `shop.example.com/*`, `*.example.com/a/*`, or host and path apart. `*` is one path segment, at the end any number. */
  readonly match: string | MatchConfig
  /** Where admitted requests go: a URL, or a pool of servers. Required, except behind the middleware, where the handlers are the origin. */
  readonly origin?: string | OriginUrlConfig | OriginPoolConfig
  /** The service-level agreement: which part of the requests is to be answered within which time. */
  readonly sla?: SlaConfig | SlaTableConfig
  /** Kinds of requests and what they are worth; the first that matches a request takes it. Default: one class, `default`. */
  readonly classes?: readonly ClassConfig[]
  /** What is admitted or refused: new sessions (admitted ones always pass), or single requests. Default: `session`. */
  readonly granularity?: Granularity
  /** How long an admitted session lasts, and its cookie. */
  readonly session?: SessionConfig
  /** How the limit is learned: a learner's name, or its name and options. Default: `soc-lqr`. */
  readonly learner?: string | LearnerConfig
  /** Length of a tick: how often the plan is made anew. Whole milliseconds, 100 to 60000. Default: 1000. */
  readonly tickMs?: number
  /** `enforce`; `observe` decides and counts but lets everything through; `off` only forwards. Default: `enforce`. */
  readonly mode?: Mode
  /** What an isolate does that has no plan yet: `cached` takes its colo's newest plan, else admits; `admit`; `refuse`. Default: `cached`. */
  readonly startup?: StartupRule
  /** What holds when the coordinator cannot be reached: `local` limits by what the isolate itself sees, `open` admits all, `closed` refuses all. Default: `local`. */
  readonly failure?: FailureRule
  /** What the refused get. */
  readonly refusal?: RefusalConfig
  /** Requests that pass without a decision and without being counted, health checks for example. Default: none. */
  readonly bypass?: readonly RequestMatchConfig[]
  /** Send `Tidegate-Verdict` with every answer. Default: false. */
  readonly verdictHeader?: boolean
  /** Who comes first when not all fit: the most valuable class, or the one of most value per load (`density`), which earns more where classes cost the origin differently. The same for all routes to one origin. Default: `value`. */
  readonly order?: Order
  /** How yes or no is decided: `threshold` by the plan alone; `batch` tests the servers' load and holds lesser classes for a moment; `auto` tests while an isolate has time for it. Default: `threshold`. */
  readonly police?: PoliceRule
  /** Within a class, let small requests in first when not all fit. Only where single requests are decided. Default: false. */
  readonly smallFirst?: boolean
  /** How much of a class one client may take while others are refused; `false`: all of it. Default: a quarter, by address range. */
  readonly fairness?: false | FairnessConfig
}

export interface MatchConfig {
  /** `shop.example.com`, `*.example.com` (any name below it) or `*`; without a port. Default: `*`. */
  readonly host?: string
  /** `/cart` or `/shop/*`: `*` is one whole segment, at the end any number of them. Default: `/*`. */
  readonly path?: string
}

export interface OriginUrlConfig {
  /** The server: `https://host` or `http://host:port`, without path and credentials. */
  readonly url: string
  /** An answer that takes longer is given up (504). Whole milliseconds, 1 to 600000. Default: 30000. */
  readonly timeoutMs?: number
  /** Routes with the same name share one coordinator, because they share its capacity. Default: the URL. */
  readonly name?: string
}

export interface OriginPoolConfig {
  /** The servers among which requests are shared out. At least one. */
  readonly servers: readonly ServerConfig[]
  /** An answer that takes longer is given up (504). Whole milliseconds, 1 to 600000. Default: 30000. */
  readonly timeoutMs?: number
  /** Routes with the same name share one coordinator, because they share its capacity. Default: the servers' URLs. */
  readonly name?: string
}

export interface ServerConfig {
  /** The server: `https://host` or `http://host:port`, without path and credentials. */
  readonly url: string
  /** Its share of the requests, relative to the others' weights. 0.001 to 1000. Default: 1. */
  readonly weight?: number
}

export interface SlaConfig {
  /** How many of 100 requests are to be within the target. 1 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The response time that they are to keep. Milliseconds, 1 to 120000. Default: 1000. */
  readonly targetMs?: number
  /** Over how long the percentile is taken. Whole milliseconds, 1000 to 86400000, not less than a tick. Default: 300000. */
  readonly windowMs?: number
}

export interface SlaTableConfig {
  /** How many of 100 requests are to be within the target. 1 to 99.99. Default: 95. */
  readonly percentile?: number
  /** Over how long the percentile is taken. Whole milliseconds, 1000 to 86400000, not less than a tick. Default: 300000. */
  readonly windowMs?: number
  /** Instead of `targetMs`: the target by arrival rate (Cataclysm, Table 1). Ascending; the first row starts at rate 0. */
  readonly table: readonly SlaRowConfig[]
}

export interface SlaRowConfig {
  /** From how many arrivals per second on the row holds: new sessions on session routes, requests elsewhere. 0 to 1000000. */
  readonly fromRate: number
  /** The response time to keep from there on. Milliseconds, 1 to 120000. */
  readonly targetMs: number
}

export interface ClassConfig {
  /** Name in the plan and in the admin API. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** What one of these is worth, relative to the other classes: the most valuable are let in first. 0 to 1000000. Default: 1. */
  readonly value?: number
  /** So many per second are always let in, whatever the limit: new sessions on session routes, requests elsewhere. 0 to 1000000. Default: 0. */
  readonly guaranteed?: number
  /** Which part of the origin these requests load, where its parts saturate one by one. Default: `default`. */
  readonly tier?: string
  /** Which requests are of this class. Default: all. */
  readonly match?: RequestMatchConfig
}

/** One value, or several of which one is to hold. */
export type OneOrMany<T> = T | readonly T[]

/** By name: `true` when it is enough that it is there, a text, or several; `*` at the start or end of a text stands for anything. */
export type ByName = Readonly<Record<string, true | OneOrMany<string>>>

/** All keys that are there must hold. */
export interface RequestMatchConfig {
  /** Path patterns, in the form of a route's path. */
  readonly path?: OneOrMany<string>
  /** HTTP methods, in capitals. */
  readonly method?: OneOrMany<HttpMethod>
  /** Request headers. */
  readonly header?: ByName
  /** Cookies. */
  readonly cookie?: ByName
  /** Query parameters. */
  readonly query?: ByName
  /** Countries by their two letters (ISO 3166), `T1` for Tor. */
  readonly country?: OneOrMany<string>
  /** Numbers of autonomous systems. Whole, 1 to 4294967295. */
  readonly asn?: OneOrMany<number>
  /** Client addresses or CIDR ranges, IPv4 and IPv6. */
  readonly ip?: OneOrMany<string>
}

export interface SessionConfig {
  /** An admitted session ends after so long without a request. Whole milliseconds, 1000 to 604800000. Default: 1800000 (30 minutes). */
  readonly idleMs?: number
  /** It ends after so long in any case. Whole milliseconds, 1000 to 2592000000, not less than `idleMs`. Default: 28800000 (8 hours). */
  readonly longestMs?: number
  /** Name of its cookie. Default: `tidegate-` and the route's name. */
  readonly cookie?: string
}

export interface LearnerConfig {
  /** The learner's name. */
  readonly name: string
  /** The learner's own options: see its table in the documentation. */
  readonly [option: string]: string | number | boolean
}

export interface FairnessConfig {
  /** Whom to count as one client: an address (`ip`; of IPv6 its /64), an address `range` (/24 or /48), or who sends the same header or cookie. Default: `range`. */
  readonly by?: 'ip' | 'range' | FairnessHeaderConfig | FairnessCookieConfig
  /** The part of a class's admissions that one may have while others are refused. 0.001 to 1. Default: 0.25. */
  readonly maxShare?: number
  /** So many admissions within some ten seconds are never too many, as of a family behind one address. 0 to 1000000. Default: 5. */
  readonly least?: number
}

export interface FairnessHeaderConfig {
  /** Name of a header that tells clients apart, an API key for example. Who does not send it counts by address range. */
  readonly header: string
}

export interface FairnessCookieConfig {
  /** Name of a cookie that tells clients apart. Who does not send it counts by address range. */
  readonly cookie: string
}

export interface RefusalConfig {
  /** 503 (Service Unavailable) or 429 (Too Many Requests). Default: 503. */
  readonly status?: 503 | 429
  /** HTML for browsers, instead of the built-in page; `{{retryAfter}}` in it becomes the seconds to wait. Without a refresh of its own it gets one by header. */
  readonly page?: string
  /** `Retry-After` is drawn between this and `retryMaxS`, so that the refused do not come back together. Whole seconds, 1 to 86400. Default: 5. */
  readonly retryMinS?: number
  /** The longest `Retry-After`. Whole seconds, 1 to 86400. Default: 15. */
  readonly retryMaxS?: number
}
