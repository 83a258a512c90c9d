import * as v from 'valibot'
import { CONCURRENCY_UNITS } from '../capacity-rules.ts'
import { DEFAULTS } from '../defaults.ts'
import { quote } from '../errors/wording.ts'
import { type Complaint, complaint, says } from './explain.ts'
import { listOfSome, name, number, oneOf, requiredNumber, text } from './fields.ts'
import { choice, key, object } from './objects.ts'
import { MS } from './range.ts'
import { tokenComplaint } from './text-formats.ts'

/** How many servers the origin needs, and who is told. */

const COUNT = { min: 1, max: 10_000, whole: true } as const
const SECONDS = { max: 86_400, unit: 'seconds' } as const
const TIER_FORM = '1 to 32 small letters, digits, "_" or "-", the first a letter'

/** No dots: the name is a part of paths in the API. */
function tierNameComplaint(given: string): Complaint | null {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(given)) return null
  const slug = given.toLowerCase().replace(/[^a-z0-9_-]+/g, '-')
  const example = /^[a-z]/.test(slug) ? slug.slice(0, 32) : 'app'
  return { expected: TIER_FORM, remedy: `Write for example ${quote(example)}.` }
}

const concurrency = object(
  'ConcurrencyConfig',
  complaint('{ limit, of }', 'Write for example { limit: 256 }.'),
  {
    limit: key(
      'Most requests or sessions that one server of the tier holds at once. Whole number, 1 to 1000000.',
      requiredNumber({ min: 1, max: 1_000_000, whole: true }, 256),
    ),
    of: key(
      'What is limited: `requests`, or `sessions` where connections stay open. Default: `requests`.',
      oneOf(CONCURRENCY_UNITS, DEFAULTS.capacity.concurrencyOf),
    ),
  },
)

const tier = object(
  'CapacityTierConfig',
  complaint('a tier { name, … }', 'Write for example { name: "app", max: 10 }.'),
  {
    name: key(
      'Name of the tier in the answer. 1 to 32 small letters, digits, `_`, `-`, the first a letter.',
      text(complaint(TIER_FORM, 'Write for example "app".'), tierNameComplaint),
    ),
    metric: v.optional(
      key(
        "The tier's metric in the headers `Server-Timing` and `endpoint-load-metrics` of the origin's answers. Default: its name.",
        text(
          complaint('the name of a metric', 'Leave it out for the name of the tier.'),
          tokenComplaint('the name of a metric', 'db'),
        ),
      ),
    ),
    servers: v.optional(
      key(
        'How many servers the tier has until an autoscaler reports it. Whole number, 1 to 10000. Default: for the first tier, as many as `origin` has; for others `min`.',
        requiredNumber(COUNT, 2),
      ),
    ),
    min: key(
      'Fewest servers. Whole number, 1 to 10000. Default: 1.',
      number(COUNT, DEFAULTS.capacity.min),
    ),
    max: key(
      'Most servers: 1 for a database that cannot be replicated. Whole number, 1 to 10000. Default: 1000.',
      number(COUNT, DEFAULTS.capacity.max),
    ),
    part: v.optional(
      key(
        "The tier's part of the response time, such as 0.4. 0.001 to 0.999. Default: in proportion to its measured time.",
        requiredNumber({ min: 0.001, max: 0.999 }, 0.5),
      ),
    ),
    workers: key(
      'Requests that one server works on at once: its cores or processes. Whole number, 1 to 10000. Default: 1.',
      number(COUNT, DEFAULTS.capacity.workers),
    ),
    serviceMs: v.optional(
      key(
        'Mean service time of a request at the tier, until the origin reports it. Milliseconds, 0.01 to 120000. Default: unknown.',
        requiredNumber({ min: 0.01, max: 120_000, unit: MS }, 20),
      ),
    ),
    concurrency: v.optional(
      key('A limit on how much one server holds at once. Default: none.', concurrency),
    ),
  },
)

const { predict: PREDICT, react: REACT } = DEFAULTS.capacity
const LEAVE_OUT = 'Leave it out for the defaults.'

const predict = object('PredictConfig', complaint('{ percentile, correctionHours }', LEAVE_OUT), {
  percentile: key(
    'The peak of an hour is this percentile of the arrival rates that earlier days had in it. 50 to 99.99. Default: 95.',
    number({ min: 50, max: 99.99, unit: 'per cent' }, PREDICT.percentile),
  ),
  correctionHours: key(
    'The prediction is raised by the mean error of so many last hours. Whole number, 0 to 24. Default: 3.',
    number({ min: 0, max: 24, whole: true }, PREDICT.correctionHours),
  ),
})

const STEP = complaint('"model" or a part from 0.01 to 1', 'Leave it out for "model".')
const react = object(
  'ReactConfig',
  complaint('{ everyS, above, refused, below, step, maxStep, pauseS }', LEAVE_OUT),
  {
    everyS: key(
      'How often arrivals are compared with what was planned. Seconds, 1 to 86400. Default: 300.',
      number({ min: 1, ...SECONDS }, REACT.everyS),
    ),
    above: key(
      'More servers are asked for when arrivals are more than this many times the planned rate. 1 to 100. Default: 1.2.',
      number({ min: 1, max: 100 }, REACT.above),
    ),
    refused: key(
      'More servers are asked for at once when more than this part of the arrivals is refused. 0 to 1. Default: 0.05.',
      number({ min: 0, max: 1 }, REACT.refused),
    ),
    below: key(
      'Fewer servers are asked for when arrivals are less than this part of the planned rate. 0 to 0.99. Default: 0.5.',
      number({ min: 0, max: 0.99 }, REACT.below),
    ),
    step: v.optional(
      key(
        'How many servers more or fewer: `model`, as many as the model says; or a part of the current number, such as 0.1. Default: `model`.',
        choice(
          [v.literal('model', says(STEP)), requiredNumber({ min: 0.01, max: 1 }, 0.1)],
          STEP,
          (input) => (typeof input === 'string' ? 0 : 1),
        ),
      ),
      REACT.step,
    ),
    maxStep: key(
      'A tier changes by at most so many servers at once. Whole number, 1 to 10000. Default: 10.',
      number(COUNT, REACT.maxStep),
    ),
    pauseS: key(
      'Shortest time between two changes. Seconds, 0 to 86400. Default: 120.',
      number({ min: 0, ...SECONDS }, REACT.pauseS),
    ),
  },
)

const group = object(
  'CapacityGroupConfig',
  complaint('{ name, servers }', 'Write for example { name: "web", servers: 11 }.'),
  {
    name: key(
      'Origins with the same group share its servers. 1 to 64 letters, digits, `.`, `_`, `-`.',
      name('web'),
    ),
    servers: key('All servers of the group. Whole number, 1 to 10000.', requiredNumber(COUNT, 11)),
  },
)

const WEBHOOK = complaint(
  'an https URL',
  'Write for example "https://scaler.example.com/capacity".',
)

/** Plain http is for a receiver on the same machine. */
function webhookComplaint(given: string): Complaint | null {
  if (!URL.canParse(given)) return WEBHOOK
  const url = new URL(given)
  if (url.username !== '' || url.password !== '') return WEBHOOK
  const isLocal = url.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+)$/.test(url.hostname)
  return url.protocol === 'https:' || isLocal ? null : WEBHOOK
}

export const capacity = object(
  'CapacityConfig',
  complaint(
    '{ tiers, startupS, predict, react, webhook, group }',
    'Write for example { tiers: [{ name: "app" }] }.',
  ),
  {
    tiers: v.optional(
      key(
        'The tiers of the origin, in the order in which a request passes them. At most 8. Default: one tier, `app`.',
        v.pipe(
          listOfSome(tier, complaint('a list of at least one tier', 'Write [{ name: "app" }].')),
          v.maxLength(8, says(complaint('at most 8 tiers', 'Leave some out.'))),
        ),
      ),
      [{ name: DEFAULTS.capacity.tier }],
    ),
    startupS: key(
      'How long a new server takes until it serves. The answer looks so far ahead. Seconds, 0 to 86400. Default: 120.',
      number({ min: 0, ...SECONDS }, DEFAULTS.capacity.startupS),
    ),
    predict: v.optional(key('How the peak of the coming hours is predicted.', predict), {}),
    react: v.optional(key('When the answer changes between predictions.', react), {}),
    webhook: v.optional(
      key(
        'Each decision is posted to this https address, signed with TIDEGATE_WEBHOOK_SECRET (Standard Webhooks). Default: none.',
        text(WEBHOOK, webhookComplaint),
      ),
    ),
    group: v.optional(
      key('Servers that this origin shares with others. Default: it has its own.', group),
    ),
  },
)

export type ParsedCapacity = v.InferOutput<typeof capacity>
