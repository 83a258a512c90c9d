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
import { isCapacityRules } from './capacity-schema.ts'
import { isCommands } from './commands.ts'
import { COUNTER_NAMES, COUNTERS } from './counters.ts'
import { FEEDBACK_VERSION, type Feedback, type ServerFeedback } from './feedback.ts'
import { MOST_SAMPLES } from './merge-reports.ts'
import { isVerdictId } from './verdict-id.ts'

/** A larger count in one report cannot be a measurement. */
const LARGEST_COUNT = 1e12
const MOST_NAMES = 1000
const MOST_REASONS = 50
const MOST_STEPS = 30
const MOST_TIERS = 8
/** Buckets of keys times slots: see src/coordinator/queue/waiting-counts.ts. */
const MOST_CELLS = 20_000
const CELL = /^\d{1,12}\.\d{1,12}$/
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

const samples: StateSchema = (value) =>
  list(isVerdictId)(value) && (value as readonly unknown[]).length <= MOST_SAMPLES

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

/** A count that may be below 0. */
const change: StateSchema = (value) =>
  Number.isSafeInteger(value) && Math.abs(value as number) < LARGEST_COUNT

/** Changes of the number of waiting tickets: see `TicketCells`. */
const ticketCells = both(
  record(change),
  keysPass((name) => CELL.test(String(name)), MOST_CELLS),
)

const qualitySteps = both(
  record(object({ requests: count, us: wholeNumber })),
  keysPass((step) => /^\d{1,2}$/.test(String(step)), MOST_STEPS),
)

const CHECKS = { count, level: count, us: wholeNumber }

const classFeedback = object({
  ...Object.fromEntries(COUNTER_NAMES.map((name) => [name, CHECKS[COUNTERS[name]]])),
  admits: reasons,
  refusals: reasons,
  queued: optional(reasons),
  places: optional(ticketCells),
  fresh: optional(ticketCells),
  degrades: optional(reasons),
  redirects: optional(reasons),
  extraCost: optional(change),
  latency: isHistogram,
})

const serverUrl: StateSchema = (value) =>
  typeof value === 'string' && value.length <= LONGEST_URL && /^https?:\/\/[^/]/.test(value)

const serverCounts = object({ tries: count, failures: count, requests: optional(count) })
const serverFeedback = both(serverCounts, (value) => {
  const { tries, failures } = value as ServerFeedback
  return failures <= tries
})

const tierFeedback = object({
  answers: count,
  visits: count,
  us: wholeNumber,
  times: isHistogram,
  loads: count,
  loadUs: wholeNumber,
})

/** Checks the servers of a pool. */
export const isPool = both(
  list(
    object({
      url: serverUrl,
      weight: positive,
      drain: optional(
        object({
          sinceMs: atLeastZero,
          untilMs: atLeastZero,
          how: (value) => value === 'fixed' || value === 'measured',
          moveTo: optional(text),
        }),
      ),
    }),
  ),
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
    name: (value) => text(value) && Object.hasOwn(LEARNER_OPTIONS, value as string),
    options: (value) => typeof value === 'object' && value !== null,
  }),
  routes: list(
    object({
      name: text,
      granularity: oneOf(...GRANULARITIES),
      mode: text,
      sla,
      police: optional(oneOf(...POLICE_RULES)),
      quality: optional(object({ min: positive, steps: positive })),
      classes: list(
        object({
          name: text,
          value: atLeastZero,
          guaranteed: atLeastZero,
          tier: text,
          sla: optional(sla),
        }),
      ),
    }),
  ),
  order: optional(oneOf(...ORDERS)),
  servers: optional(isPool),
  capacity: optional(isCapacityRules),
})

const report = object({
  version: exactly(FEEDBACK_VERSION),
  origin: text,
  sender: text,
  seq: wholeNumber,
  fromMs: atLeastZero,
  toMs: atLeastZero,
  again: () => true,
  planIssuedAtMs: optional(atLeastZero),
  asks: optional(exactly(true)),
  confirms: optional(exactly(true)),
  wants: optional(exactly(true)),
  wantsFor: optional(text),
  isolates: optional(count),
  relays: optional(count),
  setup: optional(isSetup),
  routes: byName(
    object({
      classes: byName(classFeedback),
      ages,
      ended: optional(ages),
      samples: optional(samples),
      quality: optional(qualitySteps),
    }),
  ),
  servers: optional(both(record(serverFeedback), keysPass(serverUrl, MOST_NAMES))),
  commands: optional(isCommands),
  tiers: optional(both(record(tierFeedback), keysPass(text, MOST_TIERS))),
})
