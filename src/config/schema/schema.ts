import * as v from 'valibot'
import {
  CLIENT_IP_SOURCES,
  FAILURE_RULES,
  GRANULARITIES,
  MODES,
  ORDERS,
  POLICE_RULES,
  STARTUP_RULES,
} from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { isPlainObject } from '../errors/wording.ts'
import { capacity } from './capacity.ts'
import { degrade, degradeOf, redirect, redirectOf } from './degrade.ts'
import { complaint, says } from './explain.ts'
import { flag, list, listOfSome, name, number, oneOf, text, words } from './fields.ts'
import { choice, key, object } from './objects.ts'
import { origin, poolOf, sla, slaOf } from './origin-and-sla.ts'
import { MS } from './range.ts'
import { requestMatch, routeClass } from './request-match.ts'
import {
  fairness,
  learner,
  learnerOf,
  match,
  matchOf,
  refusal,
  session,
  whenFull,
} from './route-keys.ts'
import { tokenComplaint } from './text-formats.ts'
import { upload } from './upload.ts'
import { waitingRoom } from './waiting-room.ts'

/**
 * The rules for what a user writes (user-config.ts), key by key, and what becomes of each value. Contradictions
 * between keys are in another folder.
 */

const whereTo = key(
  "Where admitted requests go: a URL, or a pool of servers. Required, except behind the middleware, where the app's handlers are the origin.",
  origin,
  poolOf,
)

const optionalRoute = {
  name: v.optional(
    key(
      'Name in the plan, in the admin API and in errors. 1 to 64 letters, digits, `.`, `_`, `-`. Default: made from `match`: `/shop/*` is `shop`, `/*` is `site`.',
      name('shop'),
    ),
  ),
  match: key(
    'Which requests: `/shop/*`, `shop.example.com/*`, `*.example.com/a/*`, or host and path in an object. `*` is one path segment; at the end it is any number of segments.',
    match,
    matchOf,
  ),
  origin: v.optional(whereTo),
  sla: v.optional(
    key(
      'The service-level agreement: which percentage of the requests must be answered within which time.',
      sla,
      slaOf,
    ),
    {},
  ),
  classes: v.optional(
    key(
      'Classes of requests and their values. The first class that matches a request takes it. Default: one class, `default`.',
      v.array(
        routeClass,
        says(complaint('a list of classes', 'Write for example [{ name: "buyers", value: 10 }].')),
      ),
    ),
    [],
  ),
  granularity: key(
    'What is admitted or refused: new sessions (an admitted session always passes), or single requests. Default: `session`.',
    oneOf(GRANULARITIES, DEFAULTS.granularity),
  ),
  session: v.optional(key('How long an admitted session lasts, and its cookie.', session), {}),
  learner: v.optional(
    key(
      'How the limit is learned: the name of a learner, or its name and options. Default: `soc-lqr`.',
      learner,
      learnerOf,
    ),
    DEFAULTS.learner,
  ),
  tickMs: key(
    'Length of a tick: a new plan is made once per tick. Whole milliseconds, 100 to 60000. Default: 1000.',
    number({ min: 100, max: 60_000, whole: true, unit: MS }, DEFAULTS.tickMs),
  ),
  mode: key(
    '`enforce`; `observe` decides and counts, but admits everything; `off` only forwards. Default: `enforce`.',
    oneOf(MODES, DEFAULTS.mode),
  ),
  startup: key(
    'What an isolate without a plan does: `cached` takes the newest plan of its data centre and admits if there is none; `admit`; `refuse`. Default: `cached`.',
    oneOf(STARTUP_RULES, DEFAULTS.startup),
  ),
  failure: key(
    'What happens while the coordinator cannot be reached: `local` learns a limit in each isolate, `open` admits everything, `closed` refuses everything. Default: `local`.',
    oneOf(FAILURE_RULES, DEFAULTS.failure),
  ),
  whenFull: v.optional(
    key(
      'What happens to a request that does not fit: `refuse` it; let the visitor `queue` in a waiting room; `degrade` the answer; `redirect` it to another origin. One word, or several that are tried in order; after the last one it is refused. Default: `queue` with `granularity: "session"`, else `refuse`.',
      whenFull,
      list,
    ),
  ),
  waitingRoom: v.optional(
    key(
      'The waiting room of a route with `whenFull: "queue"`.',
      waitingRoom,
      ({ page = null, turnstile = null, ...others }) => ({ ...others, page, turnstile }),
    ),
    {},
  ),
  degrade: v.optional(key('How the step `degrade` makes an answer lighter.', degrade, degradeOf)),
  redirect: v.optional(key('Where the step `redirect` sends requests.', redirect, redirectOf)),
  refusal: v.optional(
    key(
      'The response to a refused request.',
      refusal,
      ({ page = null, soldOutPage = null, ...others }) => ({ ...others, page, soldOutPage }),
    ),
    {},
  ),
  bypass: v.optional(
    key(
      'Requests that pass without a decision and are not counted, for example health checks. Default: none.',
      v.array(
        requestMatch,
        says(complaint('a list of conditions', 'Write for example [{ path: "/healthz" }].')),
      ),
    ),
    [],
  ),
  verdictHeader: key(
    'Send the header `Tidegate-Verdict` with every response. Default: false.',
    flag(DEFAULTS.verdictHeader),
  ),
  serverTiming: key(
    'Send the header `Server-Timing: tidegate;dur=…` with every response: how long the gate held the request, in ms. Default: false.',
    flag(DEFAULTS.serverTiming),
  ),
  capacity: v.optional(
    key(
      'How many servers the origin needs: Tidegate then says so in its API, to an autoscaler or by webhook. The same for all routes to one origin. Default: it does not say.',
      capacity,
    ),
  ),
  order: key(
    'Which class is admitted first when not all fit: `value`, the most valuable one; `density`, the one with the most value per load, which earns more where classes cost the origin differently. The same for all routes to one origin. Default: `value`.',
    oneOf(ORDERS, DEFAULTS.order),
  ),
  police: key(
    'How a request is decided: `threshold` by the plan alone; `batch` by a test of the current load of the servers, with a short wait for less valuable classes; `auto` by that test while an isolate has time for it. Default: `threshold`.',
    oneOf(POLICE_RULES, DEFAULTS.police),
  ),
  smallFirst: key(
    'Within a class, admit small requests first when not all fit. Only with `granularity: "request"`. Default: false.',
    flag(DEFAULTS.smallFirst),
  ),
  fairness: v.optional(
    key(
      'How much of a class one client may take while others are refused. `false`: everything. Default: a quarter, by address range.',
      fairness,
      (rules) => (rules === false ? null : rules),
    ),
    {},
  ),
  upload: v.optional(key('How long a client may take to send a body.', upload), {}),
}

const EXAMPLE = '{ match: "/*", origin: "https://origin.example.com" }'
const ROUTE = complaint('a route { match, origin, … }', `Write for example ${EXAMPLE}.`)

const CLIENT_IP = complaint('"cloudflare", "none" or { header }', 'Leave it out for "cloudflare".')
const clientIp = choice(
  [
    words(CLIENT_IP_SOURCES, CLIENT_IP.remedy, CLIENT_IP.expected),
    object('ClientIpHeaderConfig', CLIENT_IP, {
      header: key(
        'Name of a header that your own proxy sets or appends to on every request. Of several addresses the last one counts.',
        text(
          complaint('the name of a header', 'Write for example "X-Real-IP".'),
          tokenComplaint('the name of a header', 'X-Real-IP'),
        ),
      ),
    }),
  ],
  CLIENT_IP,
  (input) => (typeof input === 'string' ? 0 : isPlainObject(input) ? 1 : -1),
)

function configOf<Route extends v.GenericSchema<unknown, unknown>>(route: Route) {
  return object(
    'TidegateConfig',
    complaint('an object { routes }', `Write for example { routes: [${EXAMPLE}] }.`),
    {
      $schema: v.optional(
        key(
          'Address of the JSON Schema, for editors of JSON files. It has no effect.',
          v.string(says(complaint('the address of a JSON Schema', 'Leave it out.'))),
        ),
      ),
      clientIp: v.optional(
        key(
          "Where the client's address comes from: `cloudflare`, the header `CF-Connecting-IP`; `none`, so that it is unknown; or a header that your own proxy sets. Default: `cloudflare`.",
          clientIp,
        ),
        DEFAULTS.clientIp,
      ),
      routes: key(
        'The routes, at least one. The first route that matches a request takes it.',
        listOfSome(
          route,
          complaint('a list of at least one route', `Write for example [${EXAMPLE}].`),
        ),
      ),
    },
  )
}

/** Behind the middleware a route needs no origin. */
export const middlewareSchema = configOf(object('RouteConfig', ROUTE, optionalRoute))
export const proxySchema = configOf(
  object('RouteConfig', ROUTE, { ...optionalRoute, origin: whereTo }),
)

export type ParsedConfig = v.InferOutput<typeof middlewareSchema>
export type ParsedRoute = ParsedConfig['routes'][number]
