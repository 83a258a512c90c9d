/// <reference path="../text-files.d.ts" />
import type { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { OptionValues } from '../lib/option-table.ts'
import type {
  ADDRESS_KEYS,
  Balance,
  CLIENT_IP_SOURCES,
  FailureRule,
  Granularity,
  HttpMethod,
  Mode,
  Order,
  PoliceRule,
  RewritingHeader,
  SameSite,
  StartupRule,
  WhenFullStep,
} from './config.ts'
import type { CapacityConfig } from './user-config-capacity.ts'
import type {
  DegradeConfig,
  RedirectConfig,
  RefusalConfig,
  WaitingRoomConfig,
} from './user-config-when-full.ts'

/**
 * Gives a configuration its type, for the editor. It is checked when Tidegate starts.
 *
 * @example
 * export default defineConfig({ routes: [{ match: '/*', origin: 'https://origin.example.com' }] })
 */
export function defineConfig(config: TidegateConfig): TidegateConfig {
  return config
}

/**
 * What a user writes, in TypeScript or as JSON. An editor shows the comment of each key. The JSON Schema has the
 * same texts as descriptions (schema/); a test compares them.
 */
export interface TidegateConfig {
  /** Address of the JSON Schema, for editors of JSON files. It has no effect. */
  readonly $schema?: string
  /** Where the client's address comes from: `cloudflare`, the header `CF-Connecting-IP`; `none`, so that it is unknown; or a header that your own proxy sets. Default: `cloudflare`. */
  readonly clientIp?: (typeof CLIENT_IP_SOURCES)[number] | ClientIpHeaderConfig
  /** The routes, at least one. The first route that matches a request takes it. */
  readonly routes: readonly RouteConfig[]
}

export interface ClientIpHeaderConfig {
  /** Name of a header that your own proxy sets or appends to on every request. Of several addresses the last one counts. */
  readonly header: string
}

export interface RouteConfig {
  /** Name in the plan, in the admin API and in errors. 1 to 64 letters, digits, `.`, `_`, `-`. Default: made from `match`: `/shop/*` is `shop`, `/*` is `site`. */
  readonly name?: string
  /** Which requests: `/shop/*`, `shop.example.com/*`, `*.example.com/a/*`, or host and path in an object. `*` is one path segment; at the end it is any number of segments. */
  readonly match: string | MatchConfig
  /** Where admitted requests go: a URL, or a pool of servers. Required, except behind the middleware, where the app's handlers are the origin. */
  readonly origin?: string | OriginUrlConfig | OriginPoolConfig
  /** The service-level agreement: which percentage of the requests must be answered within which time. */
  readonly sla?: SlaConfig | SlaTableConfig
  /** Classes of requests and their values. The first class that matches a request takes it. Default: one class, `default`. */
  readonly classes?: readonly ClassConfig[]
  /** What is admitted or refused: new sessions (an admitted session always passes), or single requests. Default: `session`. */
  readonly granularity?: Granularity
  /** How long an admitted session lasts, and its cookie. */
  readonly session?: SessionConfig
  /** How the limit is learned: the name of a learner, or its name and options. Default: `soc-lqr`. */
  readonly learner?: LearnerName | LearnerWithOptions
  /** Length of a tick: a new plan is made once per tick. Whole milliseconds, 100 to 60000. Default: 1000. */
  readonly tickMs?: number
  /** `enforce`; `observe` decides and counts, but admits everything; `off` only forwards. Default: `enforce`. */
  readonly mode?: Mode
  /** What an isolate without a plan does: `cached` takes the newest plan of its data centre and admits if there is none; `admit`; `refuse`. Default: `cached`. */
  readonly startup?: StartupRule
  /** What happens while the coordinator cannot be reached: `local` learns a limit in each isolate, `open` admits everything, `closed` refuses everything. Default: `local`. */
  readonly failure?: FailureRule
  /** What happens to a request that does not fit: `refuse` it; let the visitor `queue` in a waiting room; `degrade` the answer; `redirect` it to another origin. One word, or several that are tried in order; after the last one it is refused. Default: `queue` with `granularity: "session"`, else `refuse`. */
  readonly whenFull?: WhenFullStep | readonly WhenFullStep[]
  /** The waiting room of a route with `whenFull: "queue"`. */
  readonly waitingRoom?: WaitingRoomConfig
  /** How the step `degrade` makes an answer lighter. */
  readonly degrade?: DegradeConfig
  /** Where the step `redirect` sends requests. */
  readonly redirect?: RedirectConfig
  /** The response to a refused request. */
  readonly refusal?: RefusalConfig
  /** Requests that pass without a decision and are not counted, for example health checks. Default: none. */
  readonly bypass?: readonly RequestMatchConfig[]
  /** Send the header `Tidegate-Verdict` with every response. Default: false. */
  readonly verdictHeader?: boolean
  /** Send the header `Server-Timing: tidegate;dur=…` with every response: how long the gate held the request, in ms. Default: false. */
  readonly serverTiming?: boolean
  /** How many servers the origin needs: Tidegate then says so in its API, to an autoscaler or by webhook. The same for all routes to one origin. Default: it does not say. */
  readonly capacity?: CapacityConfig
  /** Which class is admitted first when not all fit: `value`, the most valuable one; `density`, the one with the most value per load, which earns more where classes cost the origin differently. The same for all routes to one origin. Default: `value`. */
  readonly order?: Order
  /** How a request is decided: `threshold` by the plan alone; `batch` by a test of the current load of the servers, with a short wait for less valuable classes; `auto` by that test while an isolate has time for it. Default: `threshold`. */
  readonly police?: PoliceRule
  /** Within a class, admit small requests first when not all fit. Only with `granularity: "request"`. Default: false. */
  readonly smallFirst?: boolean
  /** How much of a class one client may take while others are refused. `false`: everything. Default: a quarter, by address range. */
  readonly fairness?: false | FairnessConfig
  /** How long a client may take to send a body. */
  readonly upload?: UploadConfig
}

export interface MatchConfig {
  /** `shop.example.com`, `*.example.com` (any name below it) or `*`; without a port. Default: `*`. */
  readonly host?: string
  /** `/cart` or `/shop/*`: `*` is one whole segment; at the end it is any number of segments. Default: `/*`. */
  readonly path?: string
}

export interface OriginUrlConfig {
  /** The server: `https://host` or `http://host:port`, without path and credentials. */
  readonly url: string
  /** A response that takes longer is given up (504). Whole milliseconds, 1 to 600000. Default: 30000. */
  readonly timeoutMs?: number
  /** Routes with the same origin name share one coordinator, because they share the origin's capacity. Default: the URL. */
  readonly name?: string
  /** Headers that are forwarded although some origins take the path, the host or the method from them: `Forwarded`, `X-Original-URL`, `X-Rewrite-URL`, `X-HTTP-Method-Override`, `X-HTTP-Method`, `X-Method-Override`. Default: none. */
  readonly keepHeaders?: readonly RewritingHeader[]
  /** Forward the method PURGE, which empties caches. Otherwise it is answered with 405. Default: false. */
  readonly purge?: boolean
}

export interface OriginPoolConfig {
  /** The servers that share the requests. At least one. */
  readonly servers: readonly ServerConfig[]
  /** A response that takes longer is given up (504). Whole milliseconds, 1 to 600000. Default: 30000. */
  readonly timeoutMs?: number
  /** Routes with the same origin name share one coordinator, because they share the origin's capacity. Default: the servers' URLs. */
  readonly name?: string
  /** Headers that are forwarded although some origins take the path, the host or the method from them: `Forwarded`, `X-Original-URL`, `X-Rewrite-URL`, `X-HTTP-Method-Override`, `X-HTTP-Method`, `X-Method-Override`. Default: none. */
  readonly keepHeaders?: readonly RewritingHeader[]
  /** Forward the method PURGE, which empties caches. Otherwise it is answered with 405. Default: false. */
  readonly purge?: boolean
  /** How a server is chosen for a new session or request. `"weighted"`: by weight alone. `"least-loaded"`: by weight, requests in flight and response times, as the edge sees them. Default: `weighted`. */
  readonly balance?: Balance
  /** A session stays at the server that it began at, as long as that server is in the pool and answers. Default: false. */
  readonly affinity?: boolean
  /** A server that is new or has come back starts with a tenth of its weight, and has all of it after this time. Milliseconds, 0 to 600000. Default: 10000. */
  readonly slowStartMs?: number
  /** Ask every server regularly, with a GET request of the gate itself. Default: none; only the requests of visitors show whether a server answers. */
  readonly healthCheck?: HealthCheckConfig
}

export interface HealthCheckConfig {
  /** A status below 400 means that the server is healthy. Begins with a slash. */
  readonly path: string
  /** All data centres together ask each server about once in this time. Milliseconds, 1000 to 600000. Default: 10000. */
  readonly everyMs?: number
}

export interface ServerConfig {
  /** The server: `https://host` or `http://host:port`, without path and credentials. */
  readonly url: string
  /** Its share of the requests, relative to the other servers' weights. 0.001 to 1000. Default: 1. */
  readonly weight?: number
}

export interface SlaConfig {
  /** How many of 100 requests must be within the target. 1 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The response time that they must keep. Milliseconds, 1 to 120000. Default: 1000. */
  readonly targetMs?: number
  /** The time over which the percentile is taken. Whole milliseconds, 1000 to 86400000, not less than a tick. Default: 300000. */
  readonly windowMs?: number
}

export interface SlaTableConfig {
  /** How many of 100 requests must be within the target. 1 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The time over which the percentile is taken. Whole milliseconds, 1000 to 86400000, not less than a tick. Default: 300000. */
  readonly windowMs?: number
  /** Instead of `targetMs`: the target by arrival rate (Urgaonkar and Shenoy 2005, Table 1). In ascending order; the first row starts at rate 0. */
  readonly table: readonly SlaRowConfig[]
}

export interface SlaRowConfig {
  /** The row applies from this many arrivals per second on: new sessions on session routes, requests elsewhere. 0 to 1000000. */
  readonly fromRate: number
  /** The response time to keep from there on. Milliseconds, 1 to 120000. */
  readonly targetMs: number
}

export interface ClassConfig {
  /** Name in the plan and in the admin API. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** Value of one request or session of this class, relative to the other classes. Higher values are admitted first. 0 to 1000000. Default: 1. */
  readonly value?: number
  /** This many per second are always admitted, whatever the limit: new sessions on session routes, requests elsewhere. 0 to 1000000. Default: 0. */
  readonly guaranteed?: number
  /** Which part of the origin these requests load, for origins with parts that saturate separately. Default: `default`. */
  readonly tier?: string
  /** The service-level agreement of this class, if it differs from the route's. With `granularity: "request"` the class is then limited by itself, so that slow requests do not shrink the limit of the others. Default: the route's. */
  readonly sla?: SlaConfig | SlaTableConfig
  /** Which requests belong to this class. Default: all. */
  readonly match?: RequestMatchConfig
}

/** One value, or several of which one must match. */
export type OneOrMany<T> = T | readonly T[]

/** By name: `true` if any value will do, a text, or several texts. `*` at the start or end of a text stands for anything. */
export type ByName = Readonly<Record<string, true | OneOrMany<string>>>

/** Every key that is present must match. */
export interface RequestMatchConfig {
  /** Path patterns, in the format of a route's path. */
  readonly path?: OneOrMany<string>
  /** HTTP methods, in capitals. */
  readonly method?: OneOrMany<HttpMethod>
  /** Request headers. */
  readonly header?: ByName
  /** Cookies. */
  readonly cookie?: ByName
  /** Query parameters. */
  readonly query?: ByName
  /** Two-letter country codes (ISO 3166), `T1` for Tor. */
  readonly country?: OneOrMany<string>
  /** Numbers of autonomous systems. Whole, 1 to 4294967295. */
  readonly asn?: OneOrMany<number>
  /** Client addresses or CIDR ranges, IPv4 and IPv6. */
  readonly ip?: OneOrMany<string>
  /** The request has a valid pass for this route: see `mintPass`. Only in classes. Write `true`. */
  readonly pass?: true
  /** The part of the origin that took most of the time of earlier answers to the path, or to its folder: a metric of the origin's `Server-Timing` header. A path that was not answered yet has none. Only in classes. */
  readonly tier?: OneOrMany<string>
}

export interface SessionConfig {
  /** An admitted session ends after this long without a request. Whole milliseconds, 1000 to 604800000. Default: 1800000 (30 minutes). */
  readonly idleMs?: number
  /** It ends at this age in any case. Whole milliseconds, 1000 to 2592000000, not less than `idleMs`. Default: 28800000 (8 hours). */
  readonly maxAgeMs?: number
  /** Name of its cookie. On https the browser sees it with `__Host-` before it. Default: `tidegate-` and the route's name. */
  readonly cookie?: string
  /** When browsers send the cookie with requests that come from other sites: `lax`, with links; `strict`, never; `none`, always, but only on https. Default: `lax`. */
  readonly sameSite?: SameSite
  /** Sessions that began in mode `observe` stay admitted in mode `enforce`. Otherwise they are drawn again. Default: false. */
  readonly keepObserved?: boolean
  /** Requests per second that one admitted session may make in an isolate, far more than a browser makes. About 14 seconds' worth may come at once, such as the images of a page. While visitors are refused, a session that asks for more than ten times as much as busy ones gets less. 0: any number. 0 to 1000000. Default: 20. */
  readonly maxRate?: number
  /** The same for all admitted sessions of an address range (/24 or /48) together. Choose it so that offices and mobile networks never reach it. 0: any number. 0 to 1000000. Default: 0. */
  readonly maxRangeRate?: number
}

export interface UploadConfig {
  /** A body must arrive at this many bytes per second on average, after its first 20 seconds. Otherwise the answer is 408. 1 to 1000000000. Default: 500. */
  readonly minBytesPerS?: number
  /** The longest time for a body, however fast it arrives. Otherwise the answer is 408. Whole milliseconds, 100 to 86400000. Default: 900000. */
  readonly maxMs?: number
  /** Uploads of more than 64 KiB or of unknown length that an isolate forwards at once. One address range may have a quarter of them. Further uploads are refused. Whole, 1 to 100000. Default: 100. */
  readonly maxOpen?: number
}

type LearnerTable = typeof LEARNER_OPTIONS

export type LearnerName = keyof LearnerTable

export interface LearnerConfig {
  /** The learner's name. */
  readonly name: LearnerName
}

/** A learner and its own options: see its table in the documentation. */
export type LearnerWithOptions = {
  [Name in LearnerName]: LearnerConfig & { readonly name: Name } & Partial<
      OptionValues<LearnerTable[Name]>
    >
}[LearnerName]

export interface FairnessConfig {
  /** What counts as one client: an address (`ip`; for IPv6 its /64), an address `range` (/24 or /48), or all requests with the same header or cookie. Default: `range`. */
  readonly by?: (typeof ADDRESS_KEYS)[number] | FairnessHeaderConfig | FairnessCookieConfig
  /** The part of a class's admissions that one client may have while others are refused. 0.001 to 1. Default: 0.25. */
  readonly maxShare?: number
  /** A client may always have this many admissions within about ten seconds, for example a family behind one address. 0 to 1000000. Default: 5. */
  readonly minAdmissions?: number
}

export interface FairnessHeaderConfig {
  /** Name of a header that tells clients apart, for example an API key. A client that does not send it counts by address range. */
  readonly header: string
}

export interface FairnessCookieConfig {
  /** Name of a cookie that tells clients apart. A client that does not send it counts by address range. */
  readonly cookie: string
}
