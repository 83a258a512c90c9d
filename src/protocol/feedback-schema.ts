import { GRANULARITIES, ORDERS, POLICE_RULES } from '../config/config.ts'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import { isHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS } from '../lib/session-age-buckets.ts'
import { exactly, list, object, type StateSchema, text } from '../lib/state-schema.ts'
import { FEEDBACK_VERSION, type Feedback, type ServerFeedback } from './feedback.ts'

/** More of anything in one report is no measurement. */
const ABSURD = 1e12
const MOST_NAMES = 1000

/**
 * May this report reach the arithmetic? NaN, infinities, negative or absurd counts, an interval that ends
 * before it starts, histograms of another version: such a report changes nothing.
 */
export function isFeedback(value: unknown): value is Feedback {
  if (!isReport(value)) return false
  const { fromMs, toMs } = value as Feedback
  return toMs >= fromMs
}

const count: StateSchema = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < ABSURD

/** Of times in microseconds, or a number that begins with a time: larger than any count. */
const sum: StateSchema = (value) => Number.isSafeInteger(value) && (value as number) >= 0

const time: StateSchema = (value) => Number.isFinite(value) && (value as number) >= 0

const ages: StateSchema = (value) => isHistogram(value) && (value.at(-2) ?? 0) < AGE_BUCKETS

const named =
  (shape: StateSchema): StateSchema =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const values = Object.values(value)
    return values.length <= MOST_NAMES && values.every(shape)
  }

const REASON = /^[a-z-]{1,20}$/
const MOST_REASONS = 50

/** Counts by reason. Which reasons there are is the edge's affair, and may grow. */
const reasons: StateSchema = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length <= MOST_REASONS &&
    entries.every(([reason, times]) => REASON.test(reason) && count(times))
  )
}

const classFeedback = object({
  offered: count,
  admitted: count,
  guaranteed: count,
  early: count,
  overQuota: count,
  wouldRefuse: count,
  offeredUs: sum,
  admits: reasons,
  refusals: reasons,
  requests: count,
  serviceUs: sum,
  served: count,
  failed: count,
  abandoned: count,
  late: count,
  latencyUs: sum,
  latency: isHistogram,
  inFlight: count,
})

const positive: StateSchema = (value) => Number.isFinite(value) && (value as number) > 0

const LONGEST_URL = 300

const serverUrl: StateSchema = (value) =>
  typeof value === 'string' && value.length <= LONGEST_URL && /^https?:\/\/[^/]/.test(value)

const serverFeedback: StateSchema = (value) =>
  object({ tries: count, failures: count })(value) &&
  (value as ServerFeedback).failures <= (value as ServerFeedback).tries

const servers: StateSchema = (value) =>
  named(serverFeedback)(value) && Object.keys(value as object).every(serverUrl)

const oneOf =
  (...words: readonly string[]): StateSchema =>
  (value) =>
    words.includes(String(value))

/** `later` are keys that came later: older senders and stored states are without them. */
const grown =
  (
    fields: Readonly<Record<string, StateSchema>>,
    later: Readonly<Record<string, StateSchema>>,
  ): StateSchema =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false
    const there = Object.keys(later).filter((name) => Object.hasOwn(value, name))
    return object({ ...fields, ...Object.fromEntries(there.map((name) => [name, later[name]!])) })(
      value,
    )
  }

const report = grown(
  {
    version: exactly(FEEDBACK_VERSION),
    origin: text,
    sender: text,
    seq: sum,
    fromMs: time,
    toMs: time,
    routes: named(object({ classes: named(classFeedback), ages })),
  },
  { servers },
)

const pool: StateSchema = (value) =>
  list(object({ url: serverUrl, weight: positive }))(value) &&
  (value as readonly unknown[]).length <= MOST_NAMES

/** The same for the setup that a report carries, and for one that comes back from storage. */
export const isSetup: StateSchema = grown(
  {
    id: text,
    sinceMs: time,
    origin: text,
    tickMs: positive,
    learner: object({
      name: (value) => Object.hasOwn(LEARNER_OPTIONS, String(value)),
      options: (value) => typeof value === 'object' && value !== null,
    }),
    routes: list(
      grown(
        {
          name: text,
          granularity: oneOf(...GRANULARITIES),
          mode: text,
          sla: object({
            percentile: (value) => positive(value) && (value as number) < 100,
            windowMs: positive,
            targets: (value) =>
              Array.isArray(value) &&
              value.length > 0 &&
              value.every(object({ fromRate: time, targetMs: positive })),
          }),
          classes: list(object({ name: text, value: time, guaranteed: time, tier: text })),
        },
        { police: oneOf(...POLICE_RULES) },
      ),
    ),
  },
  { order: oneOf(...ORDERS), servers: pool },
)

function isReport(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { setup, again, ...rest } = value as Record<string, unknown>
  return (
    report(rest) &&
    (setup === undefined || isSetup(setup)) &&
    (again === undefined || (isFeedback(again) && again.again === undefined))
  )
}
