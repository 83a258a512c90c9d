import * as v from 'valibot'
import { MODES } from '../../config/config.ts'
import { DEFAULTS } from '../../config/defaults.ts'
import { LARGEST_RATIO } from '../../learners/sample.ts'

/** What requests to the API may contain. The API document is made from the same schemas. */

/** Operators act for hours or days. A longer change belongs into the configuration. */
const LONGEST_S = 90 * 24 * 3600
const LARGEST = 1e9
export const MOST_PER_PAGE = 200
const DEFAULT_PER_PAGE = 50

const amount = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(LARGEST))
const above0 = v.pipe(v.number(), v.finite(), v.gtValue(0), v.maxValue(LARGEST))
const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))

/** What every action may have. */
const OPTIONAL = {
  forS: v.optional(
    v.pipe(
      v.number(),
      v.gtValue(0),
      v.maxValue(LONGEST_S),
      v.description('The action ends by itself after this many seconds.'),
    ),
  ),
  note: v.optional(v.pipe(v.string(), v.maxLength(200), v.description('Why, for the audit log.'))),
}

export const ACTION_BODY = v.variant('action', [
  v.strictObject({
    action: v.literal('mode'),
    mode: v.picklist(MODES),
    ...OPTIONAL,
  }),
  v.strictObject({
    action: v.literal('limit'),
    limit: v.pipe(
      amount,
      v.description(
        'A fixed limit per second, in the granularity of the route. It holds for all routes of the origin.',
      ),
    ),
    ...OPTIONAL,
  }),
  v.strictObject({
    action: v.literal('target'),
    targetMs: above0,
    ...OPTIONAL,
  }),
  v.strictObject({
    action: v.literal('value'),
    class: name,
    value: above0,
    ...OPTIONAL,
  }),
  v.strictObject({
    action: v.literal('guaranteed'),
    class: name,
    guaranteed: amount,
    ...OPTIONAL,
  }),
  v.pipe(
    v.strictObject({
      action: v.literal('capacity'),
      before: above0,
      after: above0,
      ...OPTIONAL,
    }),
    v.description(
      `The capacity changes by after / before, in any unit, at the most by a factor of ${LARGEST_RATIO}. With forS the opposite is announced at the end.`,
    ),
    v.check(
      ({ before, after }) => Math.max(before / after, after / before) <= LARGEST_RATIO,
      `before and after: neither may be more than ${LARGEST_RATIO} times the other.`,
    ),
  ),
  v.strictObject({ action: v.literal('forget'), note: OPTIONAL.note }),
])

export const SIGN_IN_BODY = v.strictObject({
  token: v.pipe(v.string(), v.maxLength(1000)),
  name: v.optional(v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(100))),
})

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** No line breaks and no letters beyond Latin-1: no client can send them. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

export const EXPLAIN_BODY = v.strictObject({
  url: v.pipe(v.string(), v.url(), v.maxLength(4000)),
  method: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/)), 'GET'),
  headers: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(FIELD_NAME)),
      v.pipe(v.string(), v.maxLength(8000), v.regex(FIELD_VALUE)),
    ),
    {},
  ),
  ip: v.optional(v.pipe(v.string(), v.maxLength(100))),
  country: v.optional(v.pipe(v.string(), v.length(2))),
  asn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
})

/** Parameters of a query are texts. */
const wholeNumber = v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number))

const perPage = v.optional(
  v.pipe(
    wholeNumber,
    v.minValue(1),
    v.maxValue(MOST_PER_PAGE),
    v.description(`The most entries in the answer, up to ${MOST_PER_PAGE}.`),
  ),
  String(DEFAULT_PER_PAGE),
)

export const RANGES = ['minute', 'hour', 'day', 'quarter'] as const

export const ROUTES_QUERY = v.strictObject({
  limit: v.optional(perPage, String(MOST_PER_PAGE)),
  after: v.optional(v.pipe(name, v.description('Continue after the route with this name.'))),
})

export const HISTORY_QUERY = v.strictObject({ range: v.optional(v.picklist(RANGES), 'hour') })

export const LOG_QUERY = v.strictObject({
  limit: perPage,
  before: v.optional(
    v.pipe(wholeNumber, v.description('Only entries before this time, in milliseconds.')),
  ),
  route: v.optional(name),
})

export const VERDICTS_QUERY = v.strictObject({ limit: perPage, route: v.optional(name) })

export const NO_QUERY = v.strictObject({})

const MOST_SERVERS = 1000
const MOST_HOURS = 28 * 24
const serverOrigin = v.pipe(
  v.string(),
  v.maxLength(300),
  v.check(
    (url) => /^https?:/.test(url) && URL.canParse(url) && new URL(url).origin === url,
    'expected https://host without a path',
  ),
)

export const TIER_BODY = v.strictObject({
  servers: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)),
})

const eventTime = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?$/),
  v.description('A time with an offset, or a local time in `zone`.'),
)

/** As in the configuration. The name is in the path. */
export const ROOM_EVENT_BODY = v.strictObject({
  opens: v.optional(eventTime),
  preQueueMs: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.maxValue(604_800_000),
      v.description('So long before it opens, the waiting page takes visitors.'),
    ),
    DEFAULTS.event.preQueueMs,
  ),
  closes: v.optional(eventTime),
  reopens: v.optional(eventTime),
  zone: v.optional(
    v.pipe(v.string(), v.maxLength(100), v.description('For example Europe/Berlin.')),
  ),
})

export const STOCK_BODY = v.strictObject({
  left: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e12)),
})

export const SERVERS_BODY = v.strictObject({
  servers: v.nullable(
    v.pipe(
      v.array(
        v.strictObject({
          url: serverOrigin,
          weight: v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(1000)), 1),
        }),
      ),
      v.minLength(1),
      v.maxLength(MOST_SERVERS),
      v.description('The servers, instead of the configured ones. null: the configured ones.'),
    ),
  ),
})

export const DRAIN_BODY = v.strictObject({
  url: serverOrigin,
  how: v.optional(
    v.pipe(
      v.picklist(['measured', 'fixed']),
      v.description(
        '"measured": its sessions stay until they end. "fixed": they move to other servers at a fixed rate.',
      ),
    ),
    'measured',
  ),
  forS: v.optional(
    v.pipe(
      v.number(),
      v.minValue(1),
      v.maxValue(LONGEST_S),
      v.description('After this many seconds the server leaves the pool in any case.'),
    ),
    1800,
  ),
  moveTo: v.optional(
    v.pipe(name, v.description('The route whose origin gets the server when it has left.')),
  ),
})

const cell = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000))

export const HISTORY_BODY = v.strictObject({
  hours: v.pipe(
    v.array(
      v.strictObject({
        hour: v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Hours since 1970.')),
        rates: v.pipe(v.array(cell), v.maxLength(120)),
      }),
    ),
    v.maxLength(MOST_HOURS),
  ),
})
