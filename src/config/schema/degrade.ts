import * as v from 'valibot'
import type { DegradeRules, RedirectRules } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { isPlainObject } from '../errors/wording.ts'
import { complaint } from './explain.ts'
import { flag, listOfSome, name, number, requiredNumber, text } from './fields.ts'
import { choice, key, object } from './objects.ts'
import { MS } from './range.ts'
import { path } from './request-match.ts'
import { originComplaint, URL_FORM } from './text-formats.ts'

/** What happens to a request that does not fit, other than to wait or to be refused. */

const url = text(
  complaint(URL_FORM, 'Write for example "https://lite.example.com".'),
  originComplaint,
)

const QUALITY = complaint('{ min, steps, switches }', 'Write {} for the defaults.')
const quality = object('QualityConfig', QUALITY, {
  min: key(
    'The lowest quality that the origin can deliver. 0.01 to 0.99. Default: 0.25.',
    number({ min: 0.01, max: 0.99 }, DEFAULTS.degrade.quality.min),
  ),
  steps: v.optional(
    key(
      'How many steps lead from full quality to the lowest. Whole, 1 to 20. Default: one for each switch, or 5.',
      requiredNumber({ min: 1, max: 20, whole: true }, DEFAULTS.degrade.quality.steps),
    ),
  ),
  switches: v.optional(
    key(
      'Names of parts of a page that the origin can leave out, the least important first. They go off one after the other.',
      listOfSome(name('recommendations'), complaint('a list of names', 'Leave it out for none.')),
    ),
  ),
})

const STORED = complaint('true or { maxAgeMs }', 'Write true for the defaults.')
const stored = choice(
  [
    v.literal(true),
    object('StoredConfig', STORED, {
      maxAgeMs: key(
        'An older answer is not used. Whole milliseconds, 1000 to 86400000. Default: 600000 (10 minutes).',
        number({ min: 1000, max: 86_400_000, whole: true, unit: MS }, DEFAULTS.degrade.storedMs),
      ),
    }),
  ],
  STORED,
  (input) => (input === true ? 0 : isPlainObject(input) ? 1 : -1),
)

const LIGHTER = complaint('{ origin, path }', 'Write for example { path: "/lite/*" }.')
const lighter = object('LighterConfig', LIGHTER, {
  origin: v.optional(
    key(
      'Another server, which takes the requests that do not fit: `https://host` or `http://host:port`.',
      url,
      (written) => new URL(written).origin,
    ),
  ),
  path: v.optional(
    key(
      'Another path. A `*` at its end stands for the path of the request. Without `origin`, requests go to this path of the same origin at the lowest quality.',
      path,
    ),
  ),
})

export const degrade = object(
  'DegradeConfig',
  complaint('{ quality, stored, lighter }', 'Write for example { quality: {} }.'),
  {
    quality: v.optional(
      key('Quality levels, which the origin gets in the header `Tidegate-Quality`.', quality),
    ),
    stored: v.optional(
      key('An earlier answer of the origin, if it may be stored in a shared cache.', stored),
    ),
    lighter: v.optional(key('Another path, or a lighter origin.', lighter)),
  },
)

export function degradeOf(written: v.InferOutput<typeof degrade>): DegradeRules {
  const { quality, stored, lighter } = written
  const { origin = null, path = null } = lighter ?? {}
  const isOwnPath = path !== null && origin === null
  return {
    quality: quality ? qualityOf(quality) : isOwnPath ? { min: 0.5, steps: 1, switches: [] } : null,
    stored:
      stored === undefined
        ? null
        : stored === true
          ? { maxAgeMs: DEFAULTS.degrade.storedMs }
          : stored,
    lighter: lighter === undefined ? null : { origin, path },
  }
}

function qualityOf({ min, steps, switches = [] }: v.InferOutput<typeof quality>) {
  const count = switches.length > 0 ? switches.length : DEFAULTS.degrade.quality.steps
  return { min, steps: steps ?? count, switches }
}

export const redirect = object(
  'RedirectConfig',
  complaint('{ to, forward }', 'Write for example { to: "https://eu.example.com" }.'),
  {
    to: key(
      'Where the requests that do not fit go: `https://host` or `http://host:port`. Path and query stay.',
      url,
      (written) => new URL(written).origin,
    ),
    forward: key(
      '`true`: the gate forwards them itself. `false`: the client is told to go there, with status 307. Default: false.',
      flag(DEFAULTS.redirect.forward),
    ),
  },
)

export const redirectOf = (written: v.InferOutput<typeof redirect>): RedirectRules => written
