import type { CapacityRules } from './capacity-rules.ts'
import { APP_ORIGIN } from './defaults.ts'

/** The configuration after checking, with every default filled in: what the rest of the code reads. */

export const GRANULARITIES = ['session', 'request'] as const
export const MODES = ['enforce', 'observe', 'off'] as const
export const STARTUP_RULES = ['cached', 'admit', 'refuse'] as const
export const FAILURE_RULES = ['local', 'open', 'closed'] as const
export const ORDERS = ['value', 'density'] as const
export const POLICE_RULES = ['threshold', 'batch', 'auto'] as const
/** What happens to a request that does not fit: the steps of a route, tried in order. */
export const WHEN_FULL_STEPS = ['refuse', 'queue', 'degrade', 'redirect'] as const
export const QUEUE_ORDERS = ['fifo', 'random'] as const
export const WAITING_STATUSES = [503, 200, 202, 429] as const
export const REFUSAL_STATUSES = [503, 429] as const
export const SAME_SITE_RULES = ['lax', 'strict', 'none'] as const
export const CLIENT_IP_SOURCES = ['cloudflare', 'none'] as const
/** Some origins take the path, the host or the method from these headers. So a client could avoid every rule. */
export const REWRITING_HEADERS = [
  ...['Forwarded', 'X-Original-URL', 'X-Rewrite-URL'],
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'],
] as const
export const ADDRESS_KEYS = ['ip', 'range'] as const
/** The methods that a Worker can receive and that make sense in a condition. */
export const METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE', 'PURGE'],
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'REPORT', 'SEARCH'],
] as const

export type Granularity = (typeof GRANULARITIES)[number]
export type Mode = (typeof MODES)[number]
export type StartupRule = (typeof STARTUP_RULES)[number]
export type FailureRule = (typeof FAILURE_RULES)[number]
export type Order = (typeof ORDERS)[number]
export type PoliceRule = (typeof POLICE_RULES)[number]
export type WhenFullStep = (typeof WHEN_FULL_STEPS)[number]
export type QueueOrder = (typeof QUEUE_ORDERS)[number]
export type WaitingStatus = (typeof WAITING_STATUSES)[number]
export type RefusalStatus = (typeof REFUSAL_STATUSES)[number]
export type SameSite = (typeof SAME_SITE_RULES)[number]
export type RewritingHeader = (typeof REWRITING_HEADERS)[number]
export type HttpMethod = (typeof METHODS)[number]

/** Where the client's address comes from: Cloudflare's header, a header that a proxy sets, or nowhere. */
export type ClientIpSource = (typeof CLIENT_IP_SOURCES)[number] | { readonly header: string }

export interface Config {
  readonly clientIp: ClientIpSource
  readonly routes: readonly Route[]
}

export interface Route {
  readonly name: string
  readonly match: RouteMatch
  /** null: the app's own handlers are the origin (middleware only). */
  readonly origin: OriginPool | null
  readonly sla: Sla
  /** The first class that matches a request takes it. The last one matches everything. */
  readonly classes: readonly RouteClass[]
  readonly granularity: Granularity
  readonly session: SessionRules
  readonly learner: LearnerChoice
  readonly tickMs: number
  readonly mode: Mode
  readonly startup: StartupRule
  readonly failure: FailureRule
  /** What happens to a request that does not fit, step by step. The last step is `queue` or `refuse`. */
  readonly whenFull: readonly WhenFullStep[]
  readonly waitingRoom: WaitingRoom
  /** null: no step `degrade`. */
  readonly degrade: DegradeRules | null
  /** null: no step `redirect`. */
  readonly redirect: RedirectRules | null
  readonly refusal: Refusal
  readonly bypass: readonly RequestMatch[]
  /** Which class is admitted first: the one of the highest value, or of the highest value per load. */
  readonly order: Order
  readonly police: PoliceRule
  /** Within a class, small requests are admitted first. */
  readonly smallFirst: boolean
  /** null: one client may take everything. */
  readonly fairness: FairnessRules | null
  readonly upload: UploadRules
  /** Send the header `Tidegate-Verdict` with every response. */
  readonly verdictHeader: boolean
  /** Send `Server-Timing: tidegate;dur=…`: how long the gate held the request. */
  readonly serverTiming: boolean
  /** null: no capacity is planned. */
  readonly capacity: CapacityRules | null
}

export interface RouteMatch {
  /** `shop.example.com`, `*.example.com` or `*`. */
  readonly host: string
  // `/cart`, `/shop/*`, `/items/*/buy`: `*` is one segment; at the end it is any number of segments.
  readonly path: string
}

export interface OriginPool {
  /** Routes with the same origin name share one coordinator, because they share the origin's capacity. */
  readonly name: string
  readonly servers: readonly OriginServer[]
  readonly timeoutMs: number
  /** Headers of the client that are forwarded although some origins are re-routed by them. */
  readonly keepHeaders: readonly RewritingHeader[]
  /** Is the method PURGE forwarded? */
  readonly purge: boolean
  /** How a server is chosen. */
  readonly balance: Balance
  /** Does a session stay at the server that it began at? */
  readonly affinity: boolean
  /** A new or returning server gets its full weight after this time. */
  readonly slowStartMs: number
  /** null: only the visitors' requests show whether a server answers. */
  readonly healthCheck: HealthCheck | null
}

export const BALANCES = ['weighted', 'least-loaded'] as const
export type Balance = (typeof BALANCES)[number]

export interface HealthCheck {
  readonly path: string
  /** All isolates together ask each server about once in this time. */
  readonly everyMs: number
}

export interface OriginServer {
  readonly url: string
  readonly weight: number
}

export interface Sla {
  /** In per cent: 95 means that 95 of 100 requests must be within the target. */
  readonly percentile: number
  /** The target from each arrival rate on, in ascending order. The first starts at rate 0. */
  readonly targets: readonly SlaTarget[]
  readonly windowMs: number
}

interface SlaTarget {
  /** In the route's granularity: new sessions/s or requests/s. */
  readonly fromRate: number
  readonly targetMs: number
}

export interface RouteClass {
  readonly name: string
  readonly value: number
  readonly guaranteed: number
  /** Which part of the origin these requests load, for origins with parts that saturate separately. */
  readonly tier: string
  /** Absent: the route's. */
  readonly sla?: Sla
  readonly match: RequestMatch
}

/** Every key that is present must match. A list matches when one of its values does. */
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
  /** The request has a valid pass for the route. Only in the conditions of classes. */
  readonly pass?: true
  /** Metrics of `Server-Timing`, in small letters. Only in the conditions of classes. */
  readonly tier?: readonly string[]
}

export interface SessionRules {
  readonly idleMs: number
  readonly maxAgeMs: number
  /** Without the prefix `__Host-`, which is added on https. */
  readonly cookie: string
  readonly sameSite: SameSite
  /** Do sessions that began in `observe` stay admitted in `enforce`? */
  readonly keepObserved: boolean
  /** Requests per second that a session may make, and all sessions of an address range; 0: any number. */
  readonly maxRate: number
  readonly maxRangeRate: number
}

/** How long a client may take to send a body. */
export interface UploadRules {
  readonly minBytesPerS: number
  readonly maxMs: number
  /** Large uploads that an isolate forwards at once. */
  readonly maxOpen: number
}

export interface LearnerChoice {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

export interface FairnessRules {
  /** What counts as one client. */
  readonly by: ClientKey
  /** The part of a class's admissions that one client may have while others are refused. */
  readonly maxShare: number
  /** A client may always have this many admissions within about ten seconds. */
  readonly minAdmissions: number
}

/** A client that does not send the header or cookie counts by its address range. */
export type ClientKey =
  | (typeof ADDRESS_KEYS)[number]
  | { readonly header: string }
  | { readonly cookie: string }

/** Opens or closes a route at a set time. Times are in milliseconds since 1970. */
export interface QueueEvent {
  readonly name: string
  /** So long before `opensMs`, visitors wait for it. */
  readonly preQueueMs: number
  readonly opensMs: number | null
  readonly closesMs: number | null
  readonly reopensMs: number | null
}

export const WHEN_DOWN = ['place', 'wait'] as const

/** Cloudflare Turnstile on the waiting page. Its secret is not in the configuration. */
export interface TurnstileRules {
  readonly siteKey: string
  /** What a visitor gets whose token cannot be verified, because the endpoint does not answer. */
  readonly whenDown: (typeof WHEN_DOWN)[number]
  readonly timeoutMs: number
  /** Where `api.js` and `siteverify` are. */
  readonly url: string
}

/** For routes with `queue` in `whenFull`. */
export interface WaitingRoom {
  readonly order: QueueOrder
  /** A visitor who closes the page keeps the place for this long. */
  readonly keepPlaceMs: number
  readonly status: WaitingStatus
  /** HTML with placeholders. null: the built-in page. */
  readonly page: string | null
  /** Own texts by language. */
  readonly texts: Readonly<Record<string, { readonly title?: string; readonly text?: string }>>
  readonly events: readonly QueueEvent[]
  /** Do problem documents have the fields of Cloudflare Waiting Room, too? */
  readonly cfWaitingRoom: boolean
  /** null: a ticket gets its place without a challenge. */
  readonly turnstile: TurnstileRules | null
}

/** The means of the step `degrade`. Each may be null. */
export interface DegradeRules {
  readonly quality: QualityRules | null
  readonly stored: { readonly maxAgeMs: number } | null
  readonly lighter: { readonly origin: string | null; readonly path: string | null } | null
}

export interface QualityRules {
  /** The lowest quality, at the last step. Full quality is 1. */
  readonly min: number
  readonly steps: number
  /** They go off one after the other. */
  readonly switches: readonly string[]
}

export interface RedirectRules {
  /** Scheme, host and port. */
  readonly to: string
  /** Does the gate forward the requests itself, instead of telling the client to go there? */
  readonly forward: boolean
}

export interface Refusal {
  readonly status: RefusalStatus
  /** HTML for browsers. null: the built-in page. */
  readonly page: string | null
  /** HTML for browsers when nothing is left. null: the built-in page. */
  readonly soldOutPage: string | null
  /** Sites with scripts that may read refusals, or `*`. */
  readonly allowOrigins: readonly string[]
  readonly retryMinS: number
  readonly retryMaxS: number
}

/** The name of a route's origin. Routes with the same origin name share one coordinator. */
export const originNameOf = ({ origin }: { readonly origin?: OriginPool | null }): string =>
  origin?.name ?? APP_ORIGIN
