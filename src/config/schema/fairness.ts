import * as v from 'valibot'
import { DEFAULTS } from '../defaults.ts'
import { says } from '../errors/complaint.ts'
import { isPlainObject } from '../errors/wording.ts'
import { number, text, words } from './fields.ts'
import { choice, object } from './objects.ts'
import { tokenComplaint } from './text-formats.ts'

const headerName = text(
  'the name of a header',
  'Write for example "X-Api-Key".',
  tokenComplaint('the name of a header', 'X-Api-Key'),
)
const cookieName = text(
  'the name of a cookie',
  'Write for example "member".',
  tokenComplaint('the name of a cookie', 'member'),
)
const BY_FORM = '"ip", "range", { header } or { cookie }'
const BY = says(BY_FORM, `Leave it out for "${DEFAULTS.fairness.by}".`)
const noHeader = v.optional(v.never(says('no "header" beside "cookie"', 'Write one of the two.')))
const by = choice(
  [
    words(['ip', 'range'], `Leave it out for "${DEFAULTS.fairness.by}".`, BY_FORM),
    object('FairnessHeaderConfig', { header: headerName }, BY),
    object('FairnessCookieConfig', { cookie: cookieName, header: noHeader }, BY),
  ],
  (input) => {
    if (typeof input === 'string') return 0
    return isPlainObject(input) ? (Object.hasOwn(input, 'cookie') ? 2 : 1) : -1
  },
  BY,
)
const FAIRNESS = says('false or { by, maxShare, least }', 'Leave it out for the defaults.')
/** How much of a class one client may take, and who is one client. */
export const fairness = choice(
  [
    v.literal(false, FAIRNESS),
    object(
      'FairnessConfig',
      {
        by: v.optional(by, DEFAULTS.fairness.by),
        maxShare: number({ min: 0.001, max: 1 }, DEFAULTS.fairness.maxShare),
        least: number({ min: 0, max: 1_000_000 }, DEFAULTS.fairness.least),
      },
      FAIRNESS,
    ),
  ],
  (input) => (typeof input === 'boolean' ? 0 : 1),
  FAIRNESS,
)
