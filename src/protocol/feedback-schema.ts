import { GRANULARITIES, ORDERS, POLICE_RULES } from '../config/config.ts'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import { isHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS } from '../lib/session-age-buckets.ts'
import {
  atLeastZero,
  exactly,
  list,
  object,
  oneOf,
  optional,
  positive,
  record,
  type StateSchema,
  text,
} from '../lib/state-schema.ts'
import { COUNTER_NAMES, COUNTERS } from './counters.ts'
import { FEEDBACK_VERSION, type Feedback, type ServerFeedback } from './feedback.ts'

/** A larger count in one report cannot be a measurement. */
const LARGEST_COUNT = 1e12
const MOST_NAMES = 1000
const MOST_REASONS = 50
const LONGEST_URL = 300
const REASON = /^[a-z-]{1,20}$/

/**
 * Only a valid report may be added up. NaN, infinities, negative or absurd counts, an interval that ends
 * before it starts and unknown keys make a report invalid.
 */
export function isFeedback(value: unknown): value is Feedback {
  if (!report(value)) return false
  const { fromMs, toMs, again } = value as Feedback
  return toMs >= fromMs && (again === undefined || (isFeedback(again) && again.again === undefined))
}

const count: StateSchema = (value) => wholeNumber(value) && (value as number) < LARGEST_COUNT

/** Sums of microseconds, and numbers of reports, which may start at a time: larger than any count. */
const wholeNumber: StateSchema = (value) => Number.isSafeInteger(value) && (value as number) >= 0

const ages: StateSchema = (value) => isHistogram(value) && (value.at(-2) ?? 0) < AGE_BUCKETS

const keysPass =
  (key: StateSchema, most: number): StateSchema =>
  (value) => {
    const keys = Object.keys(value as object)
    return keys.length <= most && keys.every(key)
  }

const both =
  (first: StateSchema, second: StateSchema): StateSchema =>
  (value) =>
    first(value) && second(value)

const byName = (schema: StateSchema): StateSchema =>
  both(record(schema), keysPass(text, MOST_NAMES))

/** The words themselves are not checked: a newer edge may have more reasons. */
const reasons = both(
  record(count),
  keysPass((reason) => REASON.test(String(reason)), MOST_REASONS),
)

const CHECKS = { count, level: count, us: wholeNumber }

const classFeedback = object({
  ...Object.fromEntries(COUNTER_NAMES.map((name) => [name, CHECKS[COUNTERS[name]]])),
  admits: reasons,
  refusals: reasons,
  latency: isHistogram,
})

const serverUrl: StateSchema = (value) =>
  typeof value === 'string' && value.length <= LONGEST_URL && /^https?:\/\/[^/]/.test(value)

const serverFeedback = both(object({ tries: count, failures: count }), (value) => {
  const { tries, failures } = value as ServerFeedback
  return failures <= tries
})

const pool = both(
  list(object({ url: serverUrl, weight: positive })),
  (value) => (value as readonly unknown[]).length <= MOST_NAMES,
)

const sla = object({
  percentile: (value) => positive(value) && (value as number) < 100,
  windowMs: positive,
  targets: both(
    list(object({ fromRate: atLeastZero, targetMs: positive })),
    (value) => (value as readonly unknown[]).length > 0,
  ),
})

/** Checks a setup in a report, and one from storage. */
export const isSetup = object({
  id: text,
  sinceMs: atLeastZero,
  origin: text,
  tickMs: positive,
  learner: object({
    name: (value) => Object.hasOwn(LEARNER_OPTIONS, String(value)),
    options: (value) => typeof value === 'object' && value !== null,
  }),
  routes: list(
    object({
      name: text,
      granularity: oneOf(...GRANULARITIES),
      mode: text,
      sla,
      police: optional(oneOf(...POLICE_RULES)),
      classes: list(
        object({ name: text, value: atLeastZero, guaranteed: atLeastZero, tier: text }),
      ),
    }),
  ),
  order: optional(oneOf(...ORDERS)),
  servers: optional(pool),
})

const report = object({
  version: exactly(FEEDBACK_VERSION),
  origin: text,
  sender: text,
  seq: wholeNumber,
  fromMs: atLeastZero,
  toMs: atLeastZero,
  again: () => true,
  setup: optional(isSetup),
  routes: byName(object({ classes: byName(classFeedback), ages })),
  servers: optional(both(record(serverFeedback), keysPass(serverUrl, MOST_NAMES))),
})
