import * as v from 'valibot'
import type { QueueEvent } from '../config.ts'
import { DEFAULTS } from '../defaults.ts'
import { instantOf, isZone } from '../event-time.ts'
import { type Complaint, complaint, says } from './explain.ts'
import { name, number, text } from './fields.ts'
import { key, object } from './objects.ts'
import { MS } from './range.ts'

/** Events of a waiting room: a time at which it opens, a time at which it closes. */

const TIME = complaint(
  'a time with an offset, such as "2026-11-27T10:00:00+01:00", or a local time beside "zone"',
  'Write for example "2026-11-27T10:00" and zone: "Europe/Berlin".',
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

/** A time that is left out may also be undefined. */
export type WrittenEvent = {
  readonly [Key in keyof v.InferOutput<typeof event>]: v.InferOutput<typeof event>[Key] | undefined
} & Pick<v.InferOutput<typeof event>, 'name' | 'preQueueMs'>

/** Which of its times does not exist, or comes before the one that it must follow? */
export function wrongTime(written: WrittenEvent): Complaint | null {
  const { opensMs, closesMs, reopensMs } = eventOf(written)
  const times = { opens: opensMs, closes: closesMs, reopens: reopensMs }
  for (const [name, ms] of Object.entries(times))
    if (ms === null && written[name as keyof typeof times] !== undefined)
      return complaint(
        `a time in "${name}" that exists, with an offset or beside "zone"`,
        TIME.remedy,
      )
  if (opensMs === null && closesMs === null)
    return complaint('"opens" or "closes"', 'Write at least one of them.')
  if (opensMs !== null && closesMs !== null && closesMs <= opensMs)
    return complaint('"closes" after "opens"', 'Write a later time.')
  if (reopensMs !== null && (closesMs === null || reopensMs <= closesMs))
    return complaint('"reopens" after "closes"', 'Write a later time, or leave it out.')
  return null
}

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

export function eventOf({
  name,
  opens,
  preQueueMs,
  closes,
  reopens,
  zone,
}: WrittenEvent): QueueEvent {
  const at = (time: string | undefined): number | null =>
    time === undefined ? null : instantOf(time, zone ?? null)
  return { name, preQueueMs, opensMs: at(opens), closesMs: at(closes), reopensMs: at(reopens) }
}
