import * as v from 'valibot'
import { DEFAULTS } from '../defaults.ts'
import { isZone } from '../event-time.ts'
import { TIME_REMEDY, type WrittenEvent, wrongTime } from '../written-event.ts'
import { type Complaint, complaint, says } from './explain.ts'
import { name, number, text } from './fields.ts'
import { key, object } from './objects.ts'
import { MS } from './range.ts'

/** Events of a waiting room: a time at which it opens, a time at which it closes. */

const TIME = complaint(
  'a time with an offset, such as "2026-11-27T10:00:00+01:00", or a local time beside "zone"',
  TIME_REMEDY,
)
const time = text(TIME, (written) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?$/.test(written) ? null : TIME,
)
const zone = text(
  complaint('a time zone', 'Write for example "Europe/Berlin".'),
  (written): Complaint | null =>
    isZone(written)
      ? null
      : complaint('a time zone of the IANA database', 'Write for example "Europe/Berlin".'),
)

const event = object(
  'EventConfig',
  complaint(
    '{ name, opens, closes, … }',
    'Write for example { name: "sale", opens: "2026-11-27T10:00Z" }.',
  ),
  {
    name: key('Name of the event. 1 to 64 letters, digits, `.`, `_`, `-`.', name('sale')),
    opens: v.optional(
      key('When it opens. Those who come before it are let in after it, in random order.', time),
    ),
    preQueueMs: key(
      'So long before it opens, the waiting page takes visitors. Whole milliseconds, 0 to 604800000. Default: 900000 (15 minutes).',
      number({ min: 0, max: 604_800_000, whole: true, unit: MS }, DEFAULTS.event.preQueueMs),
    ),
    closes: v.optional(key('From then on new visitors see that it is closed.', time)),
    reopens: v.optional(key('Until then it is closed. Default: for good.', time)),
    zone: v.optional(
      key('Time zone of times without an offset, such as `Europe/Berlin`. Default: none.', zone),
    ),
  },
)

export const events = v.array(
  v.pipe(
    event,
    v.rawCheck(({ dataset, addIssue }) => {
      const wrong = dataset.typed ? wrongTime(dataset.value as WrittenEvent) : null
      if (wrong !== null) addIssue({ message: says(wrong) })
    }),
  ),
  says(
    complaint(
      'a list of events',
      'Write for example [{ name: "sale", opens: "2026-11-27T10:00Z" }].',
    ),
  ),
)
