import * as v from 'valibot'
import { METHODS } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { complaint, says } from './explain.ts'
import { list, name, number, oneOrMany, requiredNumber, text, words } from './fields.ts'
import { pathInstead, valueInstead } from './foreign-patterns.ts'
import { choice, key, object, record } from './objects.ts'
import { sla, slaOf } from './origin-and-sla.ts'
import { pathComplaint } from './patterns.ts'
import { RATE } from './range.ts'
import {
  countryComplaint,
  IP_FORM,
  ipComplaint,
  queryNameComplaint,
  tokenComplaint,
  VALUE_FORM,
  valueComplaint,
} from './text-formats.ts'

/** Conditions on requests, and the classes that are made with them. */

export const path = text(
  ({ input }) => complaint('a path pattern such as "/shop/*"', pathInstead(input, '/healthz')),
  pathComplaint,
)

const BY_NAME = complaint(
  'names, each with true, a text or a list of texts',
  'Write for example { "X-Plan": "gold" }.',
)
const value = text(({ input }) => complaint(VALUE_FORM, valueInstead(input)), valueComplaint)
const values = choice(
  [v.literal(true), oneOrMany(value)],
  complaint(VALUE_FORM, 'Write true if any value will do.'),
  (input) => (input === true ? 0 : 1),
)
type Values = v.InferOutput<typeof values>

const lowerCase = (header: string): string => header.toLowerCase()

function byName(named: Readonly<Record<string, Values>>, fold = (name: string): string => name) {
  const entries = Object.entries(named).map(
    ([name, value]) => [fold(name), value === true ? ['*'] : list(value)] as const,
  )
  return Object.fromEntries(entries)
}

const header = record(values, BY_NAME, tokenComplaint('the name of a header', 'X-Plan'), lowerCase)
const cookie = record(values, BY_NAME, tokenComplaint('the name of a cookie', 'member'))
const query = record(values, BY_NAME, queryNameComplaint)
const method = words(METHODS, 'Write for example "GET".', 'an HTTP method in capitals')
const country = text(complaint('a country', 'Write for example "DE".'), countryComplaint)
const asn = requiredNumber({ min: 1, max: 4_294_967_295, whole: true }, 13335)
const ip = text(complaint(IP_FORM, 'Write for example "10.0.0.0/8".'), ipComplaint)

const CONDITIONS = complaint(
  'conditions on a request',
  'Write for example { path: "/checkout/*" }.',
)
const conditions = {
  path: v.optional(key("Path patterns, in the format of a route's path.", oneOrMany(path), list)),
  method: v.optional(key('HTTP methods, in capitals.', oneOrMany(method), list)),
  header: v.optional(key('Request headers.', header, (named) => byName(named, lowerCase))),
  cookie: v.optional(key('Cookies.', cookie, (named) => byName(named))),
  query: v.optional(key('Query parameters.', query, (named) => byName(named))),
  country: v.optional(
    key('Two-letter country codes (ISO 3166), `T1` for Tor.', oneOrMany(country), (codes) =>
      list(codes).map((code) => code.toUpperCase()),
    ),
  ),
  asn: v.optional(
    key('Numbers of autonomous systems. Whole, 1 to 4294967295.', oneOrMany(asn), list),
  ),
  ip: v.optional(key('Client addresses or CIDR ranges, IPv4 and IPv6.', oneOrMany(ip), list)),
  pass: v.optional(
    key(
      'The request has a valid pass for this route: see `mintPass`. Only in classes. Write `true`.',
      v.literal(true, says(complaint('true', 'Leave it out for no condition.'))),
    ),
  ),
  tier: v.optional(
    key(
      "The part of the origin that took most of the time of earlier answers to the path, or to its folder: a metric of the origin's `Server-Timing` header. A path that was not answered yet has none. Only in classes.",
      oneOrMany(name('db')),
      (metrics) => list(metrics).map((metric) => metric.toLowerCase()),
    ),
  ),
}

export const requestMatch = object('RequestMatchConfig', CONDITIONS, conditions)

export const routeClass = object(
  'ClassConfig',
  complaint('a class { name, value, … }', 'Write for example { name: "buyers", value: 10 }.'),
  {
    name: key(
      'Name in the plan and in the admin API. 1 to 64 letters, digits, `.`, `_`, `-`.',
      name('buyers'),
    ),
    value: key(
      'Value of one request or session of this class, relative to the other classes. Higher values are admitted first. 0 to 1000000. Default: 1.',
      number({ min: 0, max: 1_000_000 }, DEFAULTS.class.value),
    ),
    guaranteed: key(
      'This many per second are always admitted, whatever the limit: new sessions on session routes, requests elsewhere. 0 to 1000000. Default: 0.',
      number(RATE, DEFAULTS.class.guaranteed, 'Write a rate, for example 5 for 5 per second.'),
    ),
    tier: v.optional(
      key(
        'Which part of the origin these requests load, for origins with parts that saturate separately. Default: `default`.',
        name('database'),
      ),
      DEFAULTS.class.tier,
    ),
    sla: v.optional(
      key(
        'The service-level agreement of this class, if it differs from the route\'s. With `granularity: "request"` the class is then limited by itself, so that slow requests do not shrink the limit of the others. Default: the route\'s.',
        sla,
        slaOf,
      ),
    ),
    match: v.optional(key('Which requests belong to this class. Default: all.', requestMatch), {}),
  },
)
