import * as v from 'valibot'
import {
  ADDRESS_KEYS,
  type LearnerChoice,
  REFUSAL_STATUSES,
  type RouteMatch,
  SAME_SITE_RULES,
  WHEN_FULL_STEPS,
} from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { isPlainObject } from '../errors/wording.ts'
import { complaint, says } from './explain.ts'
import { flag, forbidden, listOfSome, number, oneOf, text, words } from './fields.ts'
import { pathInstead } from './foreign-patterns.ts'
import { choice, key, object } from './objects.ts'
import { hostComplaint, MATCH_FORM, matchComplaint, splitMatch } from './patterns.ts'
import { MS, RATE } from './range.ts'
import { path } from './request-match.ts'
import { pageComplaint, tokenComplaint } from './text-formats.ts'

/** The match, session, learner, refusal and fairness of a route. */

const MATCH = complaint(MATCH_FORM, 'Write "/*" for everything.')
const matchText = ({ input }: { readonly input: unknown }) =>
  input instanceof RegExp ? complaint(MATCH_FORM, pathInstead(input, '/shop/*')) : MATCH
const host = text(
  complaint('a host name such as "shop.example.com"', 'Leave it out.'),
  hostComplaint,
)
export const match = choice(
  [
    text(matchText, matchComplaint),
    object('MatchConfig', MATCH, {
      host: v.optional(
        key(
          '`shop.example.com`, `*.example.com` (any name below it) or `*`; without a port. Default: `*`.',
          host,
        ),
        DEFAULTS.match.host,
      ),
      path: v.optional(
        key(
          '`/cart` or `/shop/*`: `*` is one whole segment; at the end it is any number of segments. Default: `/*`.',
          path,
        ),
        DEFAULTS.match.path,
      ),
    }),
  ],
  MATCH,
  (input) =>
    typeof input === 'string' || input instanceof RegExp ? 0 : isPlainObject(input) ? 1 : -1,
)

export const matchOf = (written: v.InferOutput<typeof match>): RouteMatch =>
  typeof written === 'string'
    ? splitMatch(written)
    : { host: written.host.toLowerCase(), path: written.path }

const SESSION = { min: 1_000, whole: true, unit: MS } as const
const cookie = text(
  complaint('the name of a cookie', 'Leave it out.'),
  tokenComplaint('the name of a cookie', 'gate'),
)
export const session = object(
  'SessionConfig',
  complaint(
    '{ idleMs, maxAgeMs, cookie, sameSite, keepObserved, maxRate, maxRangeRate }',
    'Leave it out for the defaults.',
  ),
  {
    idleMs: key(
      'An admitted session ends after this long without a request. Whole milliseconds, 1000 to 604800000. Default: 1800000 (30 minutes).',
      number({ ...SESSION, max: 604_800_000 }, DEFAULTS.session.idleMs),
    ),
    maxAgeMs: key(
      'It ends at this age in any case. Whole milliseconds, 1000 to 2592000000, not less than `idleMs`. Default: 28800000 (8 hours).',
      number({ ...SESSION, max: 2_592_000_000 }, DEFAULTS.session.maxAgeMs),
    ),
    cookie: v.optional(
      key(
        "Name of its cookie. On https the browser sees it with `__Host-` before it. Default: `tidegate-` and the route's name.",
        cookie,
      ),
    ),
    sameSite: key(
      'When browsers send the cookie with requests that come from other sites: `lax`, with links; `strict`, never; `none`, always, but only on https. Default: `lax`.',
      oneOf(SAME_SITE_RULES, DEFAULTS.session.sameSite),
    ),
    keepObserved: key(
      'Sessions that began in mode `observe` stay admitted in mode `enforce`. Otherwise they are drawn again. Default: false.',
      flag(DEFAULTS.session.keepObserved),
    ),
    maxRate: key(
      "Requests per second that one admitted session may make in an isolate, far more than a browser makes. About 14 seconds' worth may come at once, such as the images of a page. While visitors are refused, a session that asks for more than ten times as much as busy ones gets less. 0: any number. 0 to 1000000. Default: 20.",
      number(RATE, DEFAULTS.session.maxRate),
    ),
    maxRangeRate: key(
      'The same for all admitted sessions of an address range (/24 or /48) together. Choose it so that offices and mobile networks never reach it. 0: any number. 0 to 1000000. Default: 0.',
      number(RATE, DEFAULTS.session.maxRangeRate),
    ),
  },
)

const LEARNER = complaint(
  'the name of a learner, or { name, … } with its options',
  `Leave it out for "${DEFAULTS.learner}".`,
)
export const learner = choice(
  [
    v.string(says(LEARNER)),
    object(
      'LearnerConfig',
      LEARNER,
      { name: key("The learner's name.", v.string(says(LEARNER))) },
      { open: true },
    ),
  ],
  LEARNER,
  (input) => (typeof input === 'string' ? 0 : 1),
)

export function learnerOf(written: v.InferOutput<typeof learner>): LearnerChoice {
  if (typeof written === 'string') return { name: written, options: {} }
  const { name, ...options } = written
  return { name, options }
}

const STEP = 'Leave it out for the default.'
export const whenFull = choice(
  [
    words(WHEN_FULL_STEPS, STEP),
    listOfSome(words(WHEN_FULL_STEPS, STEP), complaint('at least one step', STEP)),
  ],
  complaint('a step or a list of steps', 'Write for example ["degrade", "queue"].'),
  (input) => (Array.isArray(input) ? 1 : 0),
)

const ALLOWED = complaint(
  'a site such as "https://app.example.com", without path, or "*"',
  'Leave it out for none.',
)
const RETRY = { min: 1, max: 86_400, whole: true, unit: 'seconds' } as const
const page = text(complaint('the HTML of a page', 'Leave it out.'), pageComplaint)
export const refusal = object(
  'RefusalConfig',
  complaint(
    '{ status, page, soldOutPage, retryMinS, retryMaxS }',
    'Leave it out for the defaults.',
  ),
  {
    status: key(
      '503 (Service Unavailable) or 429 (Too Many Requests). Default: 503.',
      oneOf(REFUSAL_STATUSES, DEFAULTS.refusal.status),
    ),
    page: v.optional(
      key(
        'HTML for browsers, instead of the built-in page. `{{retryAfter}}` in it becomes the seconds to wait. A page that does not refresh itself gets a refresh header.',
        page,
      ),
    ),
    soldOutPage: v.optional(
      key(
        'HTML for browsers after the origin has said `Tidegate-Stock: 0`, instead of the built-in page.',
        page,
      ),
    ),
    allowOrigins: v.optional(
      key(
        'Sites with scripts that may read refusals and waiting answers, such as `https://app.example.com`, or `*` for all, but then without cookies. Default: none.',
        v.array(
          text(ALLOWED, (origin) => (/^(\*|https?:\/\/[^/\s]+)$/.test(origin) ? null : ALLOWED)),
          says(complaint('a list of sites', 'Write for example ["https://app.example.com"].')),
        ),
      ),
      [],
    ),
    retryMinS: key(
      '`Retry-After` is drawn at random between this and `retryMaxS`, so that refused visitors do not return all at once. Whole seconds, 1 to 86400. Default: 5.',
      number(RETRY, DEFAULTS.refusal.retryMinS),
    ),
    retryMaxS: key(
      'The longest `Retry-After`. Whole seconds, 1 to 86400. Default: 15.',
      number(RETRY, DEFAULTS.refusal.retryMaxS),
    ),
  },
)

const clientName = (kind: 'header' | 'cookie', example: string) =>
  text(
    complaint(`the name of a ${kind}`, `Write for example "${example}".`),
    tokenComplaint(`the name of a ${kind}`, example),
  )
const BY = complaint(
  '"ip", "range", { header } or { cookie }',
  `Leave it out for "${DEFAULTS.fairness.by}".`,
)
const noHeader = forbidden('no "header" beside "cookie"', 'Write one of the two.')
const by = choice(
  [
    words(ADDRESS_KEYS, BY.remedy, BY.expected),
    object('FairnessHeaderConfig', BY, {
      header: key(
        'Name of a header that tells clients apart, for example an API key. A client that does not send it counts by address range.',
        clientName('header', 'X-Api-Key'),
      ),
    }),
    object('FairnessCookieConfig', BY, {
      cookie: key(
        'Name of a cookie that tells clients apart. A client that does not send it counts by address range.',
        clientName('cookie', 'member'),
      ),
      header: noHeader,
    }),
  ],
  BY,
  (input) => {
    if (typeof input === 'string') return 0
    return isPlainObject(input) ? (Object.hasOwn(input, 'cookie') ? 2 : 1) : -1
  },
)
const FAIRNESS = complaint(
  'false or { by, maxShare, minAdmissions }',
  'Leave it out for the defaults.',
)
export const fairness = choice(
  [
    v.literal(false),
    object('FairnessConfig', FAIRNESS, {
      by: v.optional(
        key(
          'What counts as one client: an address (`ip`; for IPv6 its /64), an address `range` (/24 or /48), or all requests with the same header or cookie. Default: `range`.',
          by,
        ),
        DEFAULTS.fairness.by,
      ),
      maxShare: key(
        "The part of a class's admissions that one client may have while others are refused. 0.001 to 1. Default: 0.25.",
        number({ min: 0.001, max: 1 }, DEFAULTS.fairness.maxShare),
      ),
      minAdmissions: key(
        'A client may always have this many admissions within about ten seconds, for example a family behind one address. 0 to 1000000. Default: 5.',
        number({ min: 0, max: 1_000_000 }, DEFAULTS.fairness.minAdmissions),
      ),
    }),
  ],
  FAIRNESS,
  (input) => (input === false ? 0 : isPlainObject(input) ? 1 : -1),
)
