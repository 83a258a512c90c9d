import * as v from 'valibot'
import { DEFAULTS } from '../defaults.ts'
import { says } from '../errors/complaint.ts'
import { isPlainObject } from '../errors/wording.ts'
import { fairness } from './fairness.ts'
import { number, oneOf, oneOrMany, requiredNumber, text, words } from './fields.ts'
import { METHODS } from './methods.ts'
import { choice, object, record } from './objects.ts'
import { hostComplaint, MATCH_FORM, matchComplaint, pathComplaint } from './patterns.ts'
import {
  countryComplaint,
  IP_FORM,
  ipComplaint,
  NAME_FORM,
  nameComplaint,
  originComplaint,
  pageComplaint,
  poolNameComplaint,
  queryNameComplaint,
  tokenComplaint,
  URL_FORM,
  VALUE_FORM,
  valueComplaint,
} from './text-formats.ts'

/** The rules for what a user writes (form.ts), key by key; contradictions between keys are elsewhere. */

const MS = 'milliseconds'

const timeoutMs = number({ min: 1, max: 600_000, whole: true, unit: MS }, DEFAULTS.origin.timeoutMs)
const percentile = number({ min: 1, max: 99.99, unit: 'per cent' }, DEFAULTS.sla.percentile)
const windowMs = number(
  { min: 1_000, max: 86_400_000, whole: true, unit: MS },
  DEFAULTS.sla.windowMs,
)
// Response times are measured up to 131 s (histogram.ts): a target beyond could not be judged.
const TARGET = { min: 1, max: 120_000, unit: MS } as const
const RATE = { min: 0, max: 1_000_000, unit: 'per second' } as const

const name = text(NAME_FORM, 'Write for example "shop".', nameComplaint)
const path = text('a path pattern such as "/shop/*"', 'Write "/*" for everything.', pathComplaint)
const host = text('a host name such as "shop.example.com"', 'Leave it out.', hostComplaint)
const url = text(URL_FORM, 'Write for example "https://origin.example.com".', originComplaint)
const poolName = v.optional(text('a name', 'Leave it out.', poolNameComplaint))

const match = choice(
  [
    text(MATCH_FORM, 'Write "/*" for everything.', matchComplaint),
    object(
      'MatchConfig',
      {
        host: v.optional(host, DEFAULTS.match.host),
        path: v.optional(path, DEFAULTS.match.path),
      },
      says(MATCH_FORM, 'Write "/*" for everything.'),
    ),
  ],
  (input) => (typeof input === 'string' ? 0 : isPlainObject(input) ? 1 : -1),
  says(MATCH_FORM, 'Write "/*" for everything.'),
)

const ORIGIN = says(
  'a URL, { url } or { servers: [{ url }] }',
  'Write for example "https://origin.example.com".',
)
const server = object(
  'ServerConfig',
  { url, weight: number({ min: 0.001, max: 1000 }, DEFAULTS.origin.weight) },
  says('a server { url, weight }', 'Write for example { url: "https://a.example.com" }.'),
)
const servers = v.pipe(
  v.array(server, says('a list of servers', 'Write [{ url: "https://a.example.com" }].')),
  v.minLength(1, says('at least one server', 'Write [{ url: "https://a.example.com" }].')),
)
const noUrl = v.optional(
  v.never(says('no "url" beside "servers"', 'Write it as one of the servers.')),
)
const origin = choice(
  [
    url,
    object('OriginUrlConfig', { url, timeoutMs, name: poolName }, ORIGIN),
    object('OriginPoolConfig', { servers, timeoutMs, name: poolName, url: noUrl }, ORIGIN),
  ],
  (input) => {
    if (typeof input === 'string') return 0
    return isPlainObject(input) ? (Object.hasOwn(input, 'servers') ? 2 : 1) : -1
  },
  ORIGIN,
)

const SLA = says('{ percentile, targetMs, windowMs }', 'Write for example { targetMs: 500 }.')
const ROW = 'Write for example { fromRate: 0, targetMs: 1000 }.'
const row = object(
  'SlaRowConfig',
  { fromRate: requiredNumber(RATE, 0), targetMs: requiredNumber(TARGET, 1000) },
  says('a row { fromRate, targetMs }', ROW),
)
const table = v.pipe(
  v.array(row, says('a list of rows { fromRate, targetMs }', ROW)),
  v.minLength(1, says('at least one row', ROW)),
)
const noTarget = v.optional(
  v.never(says('no "targetMs" beside "table"', 'Write it as the row from rate 0.')),
)
const sla = choice(
  [
    object(
      'SlaConfig',
      { percentile, targetMs: number(TARGET, DEFAULTS.sla.targetMs), windowMs },
      SLA,
    ),
    object('SlaTableConfig', { percentile, windowMs, table, targetMs: noTarget }, SLA),
  ],
  (input) => (isPlainObject(input) && Object.hasOwn(input, 'table') ? 1 : 0),
  SLA,
)

const BY_NAME = says(
  'names, each with true, a text or a list of texts',
  'Write for example { "X-Plan": "gold" }.',
)
const value = text(VALUE_FORM, 'Write true when it is enough that it is there.', valueComplaint)
const values = choice(
  [v.literal(true, says(VALUE_FORM, 'Write true.')), oneOrMany(value)],
  (input) => (typeof input === 'boolean' ? 0 : 1),
  says(VALUE_FORM, 'Write true.'),
)
const method = words(METHODS, 'Write for example "GET".', 'an HTTP method in capitals')
const lowerCase = (header: string): string => header.toLowerCase()
const requestMatch = object(
  'RequestMatchConfig',
  {
    path: v.optional(oneOrMany(path)),
    method: v.optional(oneOrMany(method)),
    header: v.optional(
      record(values, tokenComplaint('the name of a header', 'X-Plan'), BY_NAME, lowerCase),
    ),
    cookie: v.optional(record(values, tokenComplaint('the name of a cookie', 'member'), BY_NAME)),
    query: v.optional(record(values, queryNameComplaint, BY_NAME)),
    country: v.optional(oneOrMany(text('a country', 'Write for example "DE".', countryComplaint))),
    asn: v.optional(oneOrMany(requiredNumber({ min: 1, max: 4_294_967_295, whole: true }, 13335))),
    ip: v.optional(oneOrMany(text(IP_FORM, 'Write for example "10.0.0.0/8".', ipComplaint))),
  },
  says('conditions on a request', 'Write for example { path: "/checkout/*" }.'),
)

const routeClass = object(
  'ClassConfig',
  {
    name,
    value: number({ min: 0, max: 1_000_000 }, DEFAULTS.class.value),
    guaranteed: number(RATE, DEFAULTS.class.guaranteed),
    tier: v.optional(name, DEFAULTS.class.tier),
    match: v.optional(requestMatch, {}),
  },
  says('a class { name, value, … }', 'Write for example { name: "buyers", value: 10 }.'),
)

const session = object(
  'SessionConfig',
  {
    idleMs: number(
      { min: 1_000, max: 604_800_000, whole: true, unit: MS },
      DEFAULTS.session.idleMs,
    ),
    longestMs: number(
      { min: 1_000, max: 2_592_000_000, whole: true, unit: MS },
      DEFAULTS.session.longestMs,
    ),
    cookie: v.optional(
      text('the name of a cookie', 'Leave it out.', tokenComplaint('the name of a cookie', 'gate')),
    ),
  },
  says('{ idleMs, longestMs, cookie }', 'Leave it out for the defaults.'),
)

const LEARNER = says(
  'the name of a learner, or { name, … } with its options',
  `Leave it out for "${DEFAULTS.learner}".`,
)
const learner = choice(
  [
    v.string(LEARNER),
    object('LearnerConfig', { name: v.string(LEARNER) }, LEARNER, { open: true }),
  ],
  (input) => (typeof input === 'string' ? 0 : 1),
  LEARNER,
)

const RETRY = { min: 1, max: 86_400, whole: true, unit: 'seconds' } as const
const refusal = object(
  'RefusalConfig',
  {
    status: oneOf([503, 429], DEFAULTS.refusal.status),
    page: v.optional(text('the HTML of a page', 'Leave it out.', pageComplaint)),
    retryMinS: number(RETRY, DEFAULTS.refusal.retryMinS),
    retryMaxS: number(RETRY, DEFAULTS.refusal.retryMaxS),
  },
  says('{ status, page, retryMinS, retryMaxS }', 'Leave it out for the defaults.'),
)

const CLASSES = says('a list of classes', 'Write for example [{ name: "buyers", value: 10 }].')
const BYPASS = says('a list of conditions', 'Write for example [{ path: "/healthz" }].')
const FLAG = says('true or false', `Leave it out for ${DEFAULTS.verdictHeader}.`)

const optionalRoute = {
  name: v.optional(name),
  match,
  origin: v.optional(origin),
  sla: v.optional(sla, {}),
  classes: v.optional(v.array(routeClass, CLASSES), []),
  granularity: oneOf(['session', 'request'], DEFAULTS.granularity),
  session: v.optional(session, {}),
  learner: v.optional(learner, DEFAULTS.learner),
  tickMs: number({ min: 100, max: 60_000, whole: true, unit: MS }, DEFAULTS.tickMs),
  mode: oneOf(['enforce', 'observe', 'off'], DEFAULTS.mode),
  startup: oneOf(['cached', 'admit', 'refuse'], DEFAULTS.startup),
  failure: oneOf(['local', 'open', 'closed'], DEFAULTS.failure),
  refusal: v.optional(refusal, {}),
  bypass: v.optional(v.array(requestMatch, BYPASS), []),
  verdictHeader: v.optional(v.boolean(FLAG), DEFAULTS.verdictHeader),
  order: oneOf(['value', 'density'], DEFAULTS.order),
  police: oneOf(['threshold', 'batch', 'auto'], DEFAULTS.police),
  smallFirst: v.optional(v.boolean(FLAG), DEFAULTS.smallFirst),
  fairness: v.optional(fairness, {}),
}

const EXAMPLE = '{ match: "/*", origin: "https://origin.example.com" }'
const ROUTE = says('a route { match, origin, … }', `Write for example ${EXAMPLE}.`)
const ROUTES = says('a list of at least one route', `Write for example [${EXAMPLE}].`)
const WHOLE = says('an object { routes }', `Write for example { routes: [${EXAMPLE}] }.`)

function configOf<Route extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(
  route: Route,
) {
  return object(
    'TidegateConfig',
    {
      $schema: v.optional(v.string(says('the address of a JSON Schema', 'Leave it out.'))),
      routes: v.pipe(v.array(route, ROUTES), v.minLength(1, ROUTES)),
    },
    WHOLE,
  )
}

/** Behind the middleware the handlers are the origin. */
export const middlewareSchema = configOf(object('RouteConfig', optionalRoute, ROUTE))
export const proxySchema = configOf(object('RouteConfig', { ...optionalRoute, origin }, ROUTE))

export type ParsedConfig = v.InferOutput<typeof middlewareSchema>
export type ParsedRoute = ParsedConfig['routes'][number]
export type ParsedClass = ParsedRoute['classes'][number]
export type ParsedRequestMatch = v.InferOutput<typeof requestMatch>
