import * as v from 'valibot'
import { QUEUE_ORDERS, WAITING_STATUSES, WHEN_DOWN } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { eventOf } from '../written-event.ts'
import { events } from './events.ts'
import { type Complaint, complaint } from './explain.ts'
import { flag, number, oneOf, text } from './fields.ts'
import { key, object, record } from './objects.ts'
import { MS } from './range.ts'
import { pageComplaint } from './text-formats.ts'

/** The waiting room of a route, for `whenFull: "queue"`. */

/** The placeholders that a waiting page needs. */
const NEEDED = ['{{place}}', '{{wait}}']

function waitingPageComplaint(page: string): Complaint | null {
  const missing = NEEDED.filter((name) => !page.includes(name))
  const wrong = pageComplaint(page)
  if (wrong !== null || missing.length === 0) return wrong
  return {
    expected: `a page with ${NEEDED.join(' and ')}`,
    remedy: `Write ${missing.join(' and ')} where the page shows it.`,
    found: `a page without ${missing.join(' and ')}`,
  }
}

const TEXTS = complaint(
  '{ title, text } by language',
  'Write for example { en: { title: "Nearly there" } }.',
)
const anyText = text(complaint('a text', 'Leave it out.'), () => null)
const waitingTexts = object('WaitingTextsConfig', TEXTS, {
  title: v.optional(key('The heading.', anyText)),
  text: v.optional(key('The text below the heading.', anyText)),
})

const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'ja', 'ko', 'zh', 'ar']

function languageComplaint(language: string): Complaint | null {
  if (LANGUAGES.includes(language)) return null
  return complaint(`one of the languages ${LANGUAGES.join(', ')}`, 'Write for example "en".')
}

const SITE_KEY = complaint(
  'the site key of a Turnstile widget',
  'It is in the Cloudflare dashboard, such as "0x4AAAAAAADnPIDROrmt1Wwj".',
)
const BASE = complaint(
  'an address without a slash at the end, such as "https://challenges.cloudflare.com/turnstile/v0"',
  'Leave it out for the one of Cloudflare.',
)

const turnstile = object(
  'TurnstileConfig',
  complaint('{ siteKey, … }', 'Write for example { siteKey: "0x4AAAAAAADnPIDROrmt1Wwj" }.'),
  {
    siteKey: key(
      'The site key of the widget. Its secret is `TIDEGATE_TURNSTILE_SECRET` in the environment.',
      text(SITE_KEY, (written) => (/^[\w.-]{10,100}$/.test(written) ? null : SITE_KEY)),
    ),
    whenDown: key(
      'What a visitor gets whose token cannot be verified, because the endpoint does not answer: a `place` all the same, or to `wait` until it answers. Default: `place`.',
      oneOf(WHEN_DOWN, DEFAULTS.turnstile.whenDown),
    ),
    timeoutMs: key(
      'The endpoint must answer within this time. Whole milliseconds, 100 to 10000. Default: 2000.',
      number({ min: 100, max: 10_000, whole: true, unit: MS }, DEFAULTS.turnstile.timeoutMs),
    ),
    url: v.optional(
      key(
        'Where `api.js` and `siteverify` are. Default: `https://challenges.cloudflare.com/turnstile/v0`.',
        text(BASE, (written) =>
          /^https?:\/\/[^\s"'<>?#]+[^/\s"'<>?#]$/.test(written) ? null : BASE,
        ),
      ),
      DEFAULTS.turnstile.url,
    ),
  },
)

export const waitingRoom = object(
  'WaitingRoomConfig',
  complaint('{ order, keepPlaceMs, status, … }', 'Leave it out for the defaults.'),
  {
    order: key(
      'Who enters first: `fifo`, whoever came first; `random`, in random order among those who came within the same five minutes. Default: `fifo`.',
      oneOf(QUEUE_ORDERS, DEFAULTS.waitingRoom.order),
    ),
    keepPlaceMs: key(
      'A visitor who closes the page keeps the place for this long. Whole milliseconds, 10000 to 86400000. Default: 600000 (10 minutes).',
      number(
        { min: 10_000, max: 86_400_000, whole: true, unit: MS },
        DEFAULTS.waitingRoom.keepPlaceMs,
      ),
    ),
    status: key(
      'Status of the waiting page: 503 (Service Unavailable), 200, 202 (Accepted) or 429 (Too Many Requests). Search engines may index pages with 200 and 202. Default: 503.',
      oneOf(WAITING_STATUSES, DEFAULTS.waitingRoom.status),
    ),
    page: v.optional(
      key(
        'HTML of the waiting page, instead of the built-in one. `{{place}}`, `{{wait}}`, `{{refresh}}`, `{{title}}`, `{{text}}`, `{{updated}}`, `{{progress}}`, `{{language}}`, `{{direction}}`, `{{placeLabel}}`, `{{waitLabel}}`, `{{notice}}` and `{{challenge}}` in it are replaced; `{{place}}` and `{{wait}}` are needed, and with `turnstile` also `{{challenge}}`. A page that does not refresh itself gets a refresh header.',
        text(complaint('the HTML of a page', 'Leave it out.'), waitingPageComplaint),
      ),
    ),
    texts: v.optional(
      key(
        'Own title and text of the built-in page by language, for example `{ en: { title: "Nearly there" } }`. Default: the built-in texts.',
        record(waitingTexts, TEXTS, languageComplaint),
      ),
      {},
    ),
    events: v.optional(
      key(
        'Times at which the route opens or closes. Where events overlap, the phase that began last holds; of two that began together, the one written later. Default: none.',
        events,
        (written) => written.map(eventOf),
      ),
      [],
    ),
    cfWaitingRoom: key(
      'Problem documents also have the fields of Cloudflare Waiting Room (`cfWaitingRoom`), so that clients of it work. Default: false.',
      flag(DEFAULTS.waitingRoom.cfWaitingRoom),
    ),
    turnstile: v.optional(
      key(
        'Cloudflare Turnstile on the waiting page: a ticket gets a place only after a challenge. Default: none.',
        turnstile,
      ),
    ),
  },
)
