import type { QueueOrder, RefusalStatus, WaitingStatus } from './config.ts'

/** What a user writes about requests that do not fit. */

export interface WaitingRoomConfig {
  /** Who enters first: `fifo`, whoever came first; `random`, in random order among those who came within the same five minutes. Default: `fifo`. */
  readonly order?: QueueOrder
  /** A visitor who closes the page keeps the place for this long. Whole milliseconds, 10000 to 86400000. Default: 600000 (10 minutes). */
  readonly keepPlaceMs?: number
  /** Status of the waiting page: 503 (Service Unavailable), 200, 202 (Accepted) or 429 (Too Many Requests). Search engines may index pages with 200 and 202. Default: 503. */
  readonly status?: WaitingStatus
  /** HTML of the waiting page, instead of the built-in one. `{{place}}`, `{{wait}}`, `{{refresh}}`, `{{title}}`, `{{text}}`, `{{updated}}`, `{{progress}}`, `{{language}}`, `{{direction}}`, `{{placeLabel}}`, `{{waitLabel}}`, `{{notice}}` and `{{challenge}}` in it are replaced; `{{place}}` and `{{wait}}` are needed, and with `turnstile` also `{{challenge}}`. A page that does not refresh itself gets a refresh header. */
  readonly page?: string
  /** Own title and text of the built-in page by language, for example `{ en: { title: "Nearly there" } }`. Default: the built-in texts. */
  readonly texts?: Readonly<Record<string, WaitingTextsConfig>>
  /** Times at which the route opens or closes. Where events overlap, the phase that began last holds; of two that began together, the one written later. Default: none. */
  readonly events?: readonly EventConfig[]
  /** Problem documents also have the fields of Cloudflare Waiting Room (`cfWaitingRoom`), so that clients of it work. Default: false. */
  readonly cfWaitingRoom?: boolean
  /** Cloudflare Turnstile on the waiting page: a ticket gets a place only after a challenge. Default: none. */
  readonly turnstile?: TurnstileConfig
}

export interface TurnstileConfig {
  /** The site key of the widget. Its secret is `TIDEGATE_TURNSTILE_SECRET` in the environment. */
  readonly siteKey: string
  /** What a visitor gets whose token cannot be verified, because the endpoint does not answer: a `place` all the same, or to `wait` until it answers. Default: `place`. */
  readonly whenDown?: 'place' | 'wait'
  /** The endpoint must answer within this time. Whole milliseconds, 100 to 10000. Default: 2000. */
  readonly timeoutMs?: number
  /** Where `api.js` and `siteverify` are. Default: `https://challenges.cloudflare.com/turnstile/v0`. */
  readonly url?: string
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
