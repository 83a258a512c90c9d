import * as v from 'valibot'
import { BALANCES, type OriginPool, REWRITING_HEADERS, type Sla } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { isPlainObject } from '../errors/wording.ts'
import { complaint, says } from './explain.ts'
import { flag, forbidden, listOfSome, number, requiredNumber, text, words } from './fields.ts'
import { choice, key, object } from './objects.ts'
import { MS, RATE } from './range.ts'
import { originComplaint, poolNameComplaint, URL_FORM } from './text-formats.ts'

/** Where a route leads, and how fast its responses must be. */

const url = text(
  complaint(URL_FORM, 'Write for example "https://origin.example.com".'),
  originComplaint,
)
const ownUrl = key(
  'The server: `https://host` or `http://host:port`, without path and credentials.',
  url,
  (written) => new URL(written).origin,
)
const timeoutMs = key(
  'A response that takes longer is given up (504). Whole milliseconds, 1 to 600000. Default: 30000.',
  number({ min: 1, max: 600_000, whole: true, unit: MS }, DEFAULTS.origin.timeoutMs),
)
const poolName = (standard: string) =>
  v.optional(
    key(
      `Routes with the same origin name share one coordinator, because they share the origin's capacity. Default: ${standard}.`,
      text(complaint('a name', 'Leave it out.'), poolNameComplaint),
    ),
  )
const keepHeaders = v.optional(
  key(
    'Headers that are forwarded although some origins take the path, the host or the method from them: `Forwarded`, `X-Original-URL`, `X-Rewrite-URL`, `X-HTTP-Method-Override`, `X-HTTP-Method`, `X-Method-Override`. Default: none.',
    v.array(
      words(REWRITING_HEADERS, 'Leave it out: other headers are forwarded anyway.'),
      says(complaint('a list of header names', 'Write for example ["Forwarded"].')),
    ),
  ),
  [],
)
const purge = key(
  'Forward the method PURGE, which empties caches. Otherwise it is answered with 405. Default: false.',
  flag(DEFAULTS.origin.purge),
)
const balance = key(
  'How a server is chosen for a new session or request. `"weighted"`: by weight alone. `"least-loaded"`: by weight, requests in flight and response times, as the edge sees them. Default: `weighted`.',
  v.optional(words(BALANCES, 'Leave it out.'), DEFAULTS.origin.balance),
)
const affinity = key(
  'A session stays at the server that it began at, as long as that server is in the pool and answers. Default: false.',
  flag(DEFAULTS.origin.affinity),
)
const slowStartMs = key(
  'A server that is new or has come back starts with a tenth of its weight, and has all of it after this time. Milliseconds, 0 to 600000. Default: 10000.',
  number({ min: 0, max: 600_000, unit: MS }, DEFAULTS.origin.slowStartMs),
)
const HEALTH = complaint(
  'a health check { path, everyMs }',
  'Write for example { path: "/healthz" }.',
)
const healthCheck = key(
  'Ask every server regularly, with a GET request of the gate itself. Default: none; only the requests of visitors show whether a server answers.',
  v.optional(
    object('HealthCheckConfig', HEALTH, {
      path: key(
        'A status below 400 means that the server is healthy. Begins with a slash.',
        text(complaint('a path', 'Write for example "/healthz".'), (written) =>
          /^\/[^\s#]*$/.test(written)
            ? null
            : complaint('a path that begins with a slash', 'Write for example "/healthz".'),
        ),
      ),
      everyMs: key(
        'All data centres together ask each server about once in this time. Milliseconds, 1000 to 600000. Default: 10000.',
        number({ min: 1000, max: 600_000, unit: MS }, DEFAULTS.origin.healthEveryMs),
      ),
    }),
  ),
)
const weight = number({ min: 0.001, max: 1000 }, DEFAULTS.origin.weight)
const SERVER = 'Write for example { url: "https://a.example.com" }.'
const server = object('ServerConfig', complaint('a server { url, weight }', SERVER), {
  url: ownUrl,
  weight: key(
    "Its share of the requests, relative to the other servers' weights. 0.001 to 1000. Default: 1.",
    weight,
  ),
})
const servers = listOfSome(
  server,
  complaint('a list of at least one server', 'Write [{ url: "https://a.example.com" }].'),
)
const noUrl = forbidden('no "url" beside "servers"', 'Write it as one of the servers.')
const ORIGIN = complaint(
  'a URL, { url } or { servers: [{ url }] }',
  'Write for example "https://origin.example.com".',
)
export const origin = choice(
  [
    url,
    object('OriginUrlConfig', ORIGIN, {
      url: ownUrl,
      timeoutMs,
      name: poolName('the URL'),
      keepHeaders,
      purge,
    }),
    object('OriginPoolConfig', ORIGIN, {
      servers: key('The servers that share the requests. At least one.', servers),
      timeoutMs,
      name: poolName("the servers' URLs"),
      keepHeaders,
      purge,
      balance,
      affinity,
      slowStartMs,
      healthCheck,
      url: noUrl,
    }),
  ],
  ORIGIN,
  (input) => {
    if (typeof input === 'string') return 0
    return isPlainObject(input) ? (Object.hasOwn(input, 'servers') ? 2 : 1) : -1
  },
)

export function poolOf(written: v.InferOutput<typeof origin>): OriginPool {
  const { timeoutMs, weight, purge, balance, affinity, slowStartMs } = DEFAULTS.origin
  if (typeof written === 'string')
    return poolOf({ url: new URL(written).origin, timeoutMs, keepHeaders: [], purge })
  const all = 'servers' in written ? written.servers : [{ url: written.url, weight }]
  const urls = all.map(({ url }) => url).sort()
  return {
    name: written.name ?? urls.join(','),
    servers: all,
    timeoutMs: written.timeoutMs,
    keepHeaders: written.keepHeaders,
    purge: written.purge,
    ...('servers' in written
      ? {
          balance: written.balance,
          affinity: written.affinity,
          slowStartMs: written.slowStartMs,
          healthCheck: written.healthCheck ?? null,
        }
      : { balance, affinity, slowStartMs, healthCheck: null }),
  }
}

// Response times are measured up to 131 s (histogram.ts), so a higher target could not be checked.
const TARGET = { min: 1, max: 120_000, unit: MS } as const
const percentile = key(
  'How many of 100 requests must be within the target. 1 to 99.99. Default: 95.',
  number({ min: 1, max: 99.99, unit: 'per cent' }, DEFAULTS.sla.percentile),
)
const windowMs = key(
  'The time over which the percentile is taken. Whole milliseconds, 1000 to 86400000, not less than a tick. Default: 300000.',
  number({ min: 1_000, max: 86_400_000, whole: true, unit: MS }, DEFAULTS.sla.windowMs),
)
const ROW = 'Write for example { fromRate: 0, targetMs: 1000 }.'
const row = object('SlaRowConfig', complaint('a row { fromRate, targetMs }', ROW), {
  fromRate: key(
    'The row applies from this many arrivals per second on: new sessions on session routes, requests elsewhere. 0 to 1000000.',
    requiredNumber(RATE, 0),
  ),
  targetMs: key(
    'The response time to keep from there on. Milliseconds, 1 to 120000.',
    requiredNumber(TARGET, 1000),
  ),
})
const table = listOfSome(row, complaint('a list of at least one row { fromRate, targetMs }', ROW))
const noTarget = forbidden('no "targetMs" beside "table"', 'Write it as the row from rate 0.')
const SLA = complaint('{ percentile, targetMs, windowMs }', 'Write for example { targetMs: 500 }.')
export const sla = choice(
  [
    object('SlaConfig', SLA, {
      percentile,
      targetMs: key(
        'The response time that they must keep. Milliseconds, 1 to 120000. Default: 1000.',
        number(TARGET, DEFAULTS.sla.targetMs),
      ),
      windowMs,
    }),
    object('SlaTableConfig', SLA, {
      percentile,
      windowMs,
      table: key(
        'Instead of `targetMs`: the target by arrival rate (Urgaonkar and Shenoy 2005, Table 1). In ascending order; the first row starts at rate 0.',
        table,
      ),
      targetMs: noTarget,
    }),
  ],
  SLA,
  (input) => (isPlainObject(input) && Object.hasOwn(input, 'table') ? 1 : 0),
)

export const slaOf = (written: v.InferOutput<typeof sla>): Sla => ({
  percentile: written.percentile,
  targets: 'table' in written ? written.table : [{ fromRate: 0, targetMs: written.targetMs }],
  windowMs: written.windowMs,
})
