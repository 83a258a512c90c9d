/// <reference path="../text-files.d.ts" />
import type { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { OptionValues } from '../lib/option-table.ts'
import type {
  ADDRESS_KEYS,
  Balance,
  CLIENT_IP_SOURCES,
  CONCURRENCY_UNITS,
  FailureRule,
  Granularity,
  HttpMethod,
  Mode,
  Order,
  PoliceRule,
  QueueOrder,
  RefusalStatus,
  RewritingHeader,
  SameSite,
  StartupRule,
  WaitingStatus,
  WhenFullStep,
} from './config.ts'

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

export interface WaitingRoomConfig {
  /** Who enters first: `fifo`, whoever came first; `random`, in random order among those who came within the same five minutes. Default: `fifo`. */
  readonly order?: QueueOrder
  /** A visitor who closes the page keeps the place for this long. Whole milliseconds, 10000 to 86400000. Default: 600000 (10 minutes). */
  readonly keepPlaceMs?: number
  /** Status of the waiting page: 503 (Service Unavailable), 200, 202 (Accepted) or 429 (Too Many Requests). Search engines may index pages with 200 and 202. Default: 503. */
  readonly status?: WaitingStatus
  /** HTML of the waiting page, instead of the built-in one. `{{place}}`, `{{wait}}`, `{{refresh}}`, `{{title}}`, `{{text}}`, `{{updated}}`, `{{progress}}`, `{{language}}`, `{{direction}}`, `{{placeLabel}}`, `{{waitLabel}}` and `{{notice}}` in it are replaced; `{{place}}` and `{{wait}}` are needed. A page that does not refresh itself gets a refresh header. */
  readonly page?: string
  /** Own title and text of the built-in page by language, for example `{ en: { title: "Nearly there" } }`. Default: the built-in texts. */
  readonly texts?: Readonly<Record<string, WaitingTextsConfig>>
  /** Times at which the route opens or closes. Where events overlap, the phase that began last holds; of two that began together, the one written later. Default: none. */
  readonly events?: readonly EventConfig[]
  /** Problem documents also have the fields of Cloudflare Waiting Room (`cfWaitingRoom`), so that clients of it work. Default: false. */
  readonly cfWaitingRoom?: boolean
}

export interface EventConfig {
  /** Name of the event. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** When it opens. Those who come before it are let in after it, in random order. */
  readonly opens?: string
  /** So long before it opens, the waiting page takes visitors. Whole milliseconds, 0 to 604800000. Default: 900000 (15 minutes). */
  readonly preQueueMs?: number
  /** From then on new visitors see that it is closed. */
  readonly closes?: string
  /** Until then it is closed. Default: for good. */
  readonly reopens?: string
  /** Time zone of times without an offset, such as `Europe/Berlin`. Default: none. */
  readonly zone?: string
}

export interface WaitingTextsConfig {
  /** The heading. */
  readonly title?: string
  /** The text below the heading. */
  readonly text?: string
}

export interface DegradeConfig {
  /** Quality levels, which the origin gets in the header `Tidegate-Quality`. */
  readonly quality?: QualityConfig
  /** An earlier answer of the origin, if it may be stored in a shared cache. */
  readonly stored?: true | StoredConfig
  /** Another path, or a lighter origin. */
  readonly lighter?: LighterConfig
}

export interface QualityConfig {
  /** The lowest quality that the origin can deliver. 0.01 to 0.99. Default: 0.25. */
  readonly min?: number
  /** How many steps lead from full quality to the lowest. Whole, 1 to 20. Default: one for each switch, or 5. */
  readonly steps?: number
  /** Names of parts of a page that the origin can leave out, the least important first. They go off one after the other. */
  readonly switches?: readonly string[]
}

export interface StoredConfig {
  /** An older answer is not used. Whole milliseconds, 1000 to 86400000. Default: 600000 (10 minutes). */
  readonly maxAgeMs?: number
}

export interface LighterConfig {
  /** Another server, which takes the requests that do not fit: `https://host` or `http://host:port`. */
  readonly origin?: string
  /** Another path. A `*` at its end stands for the path of the request. Without `origin`, requests go to this path of the same origin at the lowest quality. */
  readonly path?: string
}

export interface RedirectConfig {
  /** Where the requests that do not fit go: `https://host` or `http://host:port`. Path and query stay. */
  readonly to: string
  /** `true`: the gate forwards them itself. `false`: the client is told to go there, with status 307. Default: false. */
  readonly forward?: boolean
}

export interface RefusalConfig {
  /** 503 (Service Unavailable) or 429 (Too Many Requests). Default: 503. */
  readonly status?: RefusalStatus
  /** HTML for browsers, instead of the built-in page. `{{retryAfter}}` in it becomes the seconds to wait. A page that does not refresh itself gets a refresh header. */
  readonly page?: string
  /** HTML for browsers after the origin has said `Tidegate-Stock: 0`, instead of the built-in page. */
  readonly soldOutPage?: string
  /** Sites with scripts that may read refusals and waiting answers, such as `https://app.example.com`, or `*` for all, but then without cookies. Default: none. */
  readonly allowOrigins?: readonly string[]
  /** `Retry-After` is drawn at random between this and `retryMaxS`, so that refused visitors do not return all at once. Whole seconds, 1 to 86400. Default: 5. */
  readonly retryMinS?: number
  /** The longest `Retry-After`. Whole seconds, 1 to 86400. Default: 15. */
  readonly retryMaxS?: number
}

export interface CapacityConfig {
  /** The tiers of the origin, in the order in which a request passes them. At most 8. Default: one tier, `app`. */
  readonly tiers?: readonly CapacityTierConfig[]
  /** How long a new server takes until it serves. The answer looks so far ahead. Seconds, 0 to 86400. Default: 120. */
  readonly startupS?: number
  /** How the peak of the coming hours is predicted. */
  readonly predict?: PredictConfig
  /** When the answer changes between predictions. */
  readonly react?: ReactConfig
  /** Each decision is posted to this https address, signed with TIDEGATE_WEBHOOK_SECRET (Standard Webhooks). Default: none. */
  readonly webhook?: string
  /** Servers that this origin shares with others. Default: it has its own. */
  readonly group?: CapacityGroupConfig
}

export interface CapacityTierConfig {
  /** Name of the tier in the answer. 1 to 32 small letters, digits, `_`, `-`, the first a letter. */
  readonly name: string
  /** The tier's metric in the headers `Server-Timing` and `endpoint-load-metrics` of the origin's answers. Default: its name. */
  readonly metric?: string
  /** How many servers the tier has until an autoscaler reports it. Whole number, 1 to 10000. Default: for the first tier, as many as `origin` has; for others `min`. */
  readonly servers?: number
  /** Fewest servers. Whole number, 1 to 10000. Default: 1. */
  readonly min?: number
  /** Most servers: 1 for a database that cannot be replicated. Whole number, 1 to 10000. Default: 1000. */
  readonly max?: number
  /** The tier's part of the response time, such as 0.4. 0.001 to 0.999. Default: in proportion to its measured time. */
  readonly part?: number
  /** Requests that one server works on at once: its cores or processes. Whole number, 1 to 10000. Default: 1. */
  readonly workers?: number
  /** Mean service time of a request at the tier, until the origin reports it. Milliseconds, 0.01 to 120000. Default: unknown. */
  readonly serviceMs?: number
  /** A limit on how much one server holds at once. Default: none. */
  readonly concurrency?: ConcurrencyConfig
}

export interface ConcurrencyConfig {
  /** Most requests or sessions that one server of the tier holds at once. Whole number, 1 to 1000000. */
  readonly limit: number
  /** What is limited: `requests`, or `sessions` where connections stay open. Default: `requests`. */
  readonly of?: (typeof CONCURRENCY_UNITS)[number]
}

export interface PredictConfig {
  /** The peak of an hour is this percentile of the arrival rates that earlier days had in it. 50 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The prediction is raised by the mean error of so many last hours. Whole number, 0 to 24. Default: 3. */
  readonly correctionHours?: number
}

export interface ReactConfig {
  /** How often arrivals are compared with what was planned. Seconds, 1 to 86400. Default: 300. */
  readonly everyS?: number
  /** More servers are asked for when arrivals are more than this many times the planned rate. 1 to 100. Default: 1.2. */
  readonly above?: number
  /** More servers are asked for at once when more than this part of the arrivals is refused. 0 to 1. Default: 0.05. */
  readonly refused?: number
  /** Fewer servers are asked for when arrivals are less than this part of the planned rate. 0 to 0.99. Default: 0.5. */
  readonly below?: number
  /** How many servers more or fewer: `model`, as many as the model says; or a part of the current number, such as 0.1. Default: `model`. */
  readonly step?: 'model' | number
  /** A tier changes by at most so many servers at once. Whole number, 1 to 10000. Default: 10. */
  readonly maxStep?: number
  /** Shortest time between two changes. Seconds, 0 to 86400. Default: 120. */
  readonly pauseS?: number
}

export interface CapacityGroupConfig {
  /** Origins with the same group share its servers. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** All servers of the group. Whole number, 1 to 10000. */
  readonly servers: number
}
