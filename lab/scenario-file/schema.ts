import * as v from 'valibot'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { says } from '../../src/config/errors/complaint.ts'
import { isPlainObject } from '../../src/config/errors/wording.ts'
import { number, oneOf, requiredNumber, text, words } from '../../src/config/schema/fields.ts'
import { choice, object } from '../../src/config/schema/objects.ts'
import { NAME_FORM, nameComplaint } from '../../src/config/schema/text-formats.ts'

/** The rules for what a user writes (form.ts), key by key; contradictions between keys are in check.ts. */

const MS = 'milliseconds'
const S = 'seconds'
const RATE = { min: 0, max: 100_000, unit: 'per second' } as const
const SOME_RATE = { ...RATE, min: 0.001 } as const
const SECONDS = { min: 0, max: 10_000_000, unit: S } as const
const SOME_SECONDS = { ...SECONDS, min: 0.1 } as const
const SERVERS = { min: 1, max: 10_000, whole: true } as const
const PART = { min: 0, max: 1 } as const
const SERVICE_MS = { min: 0.01, max: 600_000, unit: MS } as const

const maybe = (range: Parameters<typeof requiredNumber>[0], example: number) =>
  v.optional(requiredNumber(range, example))
const flag = v.optional(v.boolean(says('true or false', 'Leave it out for false.')), false)
const name = text(NAME_FORM, 'Write for example "sale".', nameComplaint)

const sla = object(
  'SlaFile',
  {
    percentile: number({ min: 1, max: 99.99, unit: 'per cent' }, DEFAULTS.sla.percentile),
    targetMs: number({ min: 1, max: 120_000, unit: MS }, DEFAULTS.sla.targetMs),
    windowMs: number({ min: 1000, max: 86_400_000, whole: true, unit: MS }, DEFAULTS.sla.windowMs),
  },
  says('{ percentile, targetMs, windowMs }', 'Write for example { "targetMs": 500 }.'),
)

const STEP = says('a pair of second and rate', 'Write for example [600, 20].')
const step = v.strictTuple([requiredNumber(SECONDS, 600), requiredNumber(RATE, 20)], STEP)
const STEPS = says('a list of pairs of second and rate', 'Write for example [[0, 2], [600, 20]].')
const BURSTS = says(
  'a list of at least two states { rate, meanS }',
  'Write [{ "rate": 2, "meanS": 60 }, { "rate": 20, "meanS": 10 }].',
)

const arrivals = object(
  'ArrivalsFile',
  {
    rate: maybe(RATE, 20),
    steps: v.optional(v.pipe(v.array(step, STEPS), v.minLength(1, STEPS))),
    flashCrowd: v.optional(
      object(
        'FlashCrowdFile',
        {
          base: requiredNumber(SOME_RATE, 2),
          peak: requiredNumber(SOME_RATE, 20),
          startS: requiredNumber(SECONDS, 600),
          doublingS: requiredNumber(SOME_SECONDS, 120),
          holdS: requiredNumber(SECONDS, 600),
        },
        says(
          '{ base, peak, startS, doublingS, holdS }',
          'Write { "base": 2, "peak": 20, "startS": 600, "doublingS": 120, "holdS": 600 }.',
        ),
      ),
    ),
    day: v.optional(
      object(
        'DayFile',
        {
          mean: requiredNumber(SOME_RATE, 10),
          swing: requiredNumber(PART, 0.6),
          peakS: requiredNumber(SECONDS, 43_200),
          dayS: number({ ...SOME_SECONDS, max: 86_400 }, 86_400),
        },
        says('{ mean, swing, peakS }', 'Write { "mean": 10, "swing": 0.6, "peakS": 43200 }.'),
      ),
    ),
    bursts: v.optional(
      v.pipe(
        v.array(
          object(
            'BurstFile',
            { rate: requiredNumber(SOME_RATE, 20), meanS: requiredNumber(SOME_SECONDS, 10) },
            says('a state { rate, meanS }', 'Write { "rate": 20, "meanS": 10 }.'),
          ),
          BURSTS,
        ),
        v.minLength(2, BURSTS),
      ),
    ),
    trace: v.optional(v.string(says('the name of a CSV file', 'Write for example "rates.csv".'))),
    log: v.optional(v.string(says('the name of a log file', 'Write for example "access.log".'))),
  },
  says('{ rate }, { steps } or another form of arrivals', 'Write for example { "rate": 20 }.'),
)

const visitors = object(
  'VisitorsFile',
  {
    patienceMs: maybe({ min: 1, max: 3_600_000, unit: MS }, 8000),
    retryAtOnce: number(PART, 0),
    retryAsTold: number(PART, 0),
    resend: number({ min: 0, max: 100, whole: true }, 0),
  },
  says('{ patienceMs, retryAtOnce, … }', 'Leave it out for patient visitors who never come back.'),
)

const session = object(
  'SessionFile',
  {
    requests: number({ min: 1, max: 1000 }, 10),
    thinkMs: number({ min: 1, max: 3_600_000, unit: MS }, 10_000),
  },
  says('{ requests, thinkMs }', 'Write for example { "requests": 10 }.'),
)

const CLASS = says(
  'a class { name, part, … }',
  'Write { "name": "buyers", "value": 10, "part": 0.1 }.',
)
const classFile = object(
  'ClassFile',
  {
    name,
    value: number({ min: 0, max: 1_000_000 }, 1),
    guaranteed: number(RATE, 0),
    part: requiredNumber(PART, 0.1),
  },
  CLASS,
)

const SERVICE = says(
  'a mean in milliseconds, or { kind, meanMs }',
  'Write for example 40, or { "kind": "log-normal", "meanMs": 40, "cv": 2 }.',
)
export const KINDS = ['exponential', 'constant', 'uniform', 'log-normal', 'pareto', 'data'] as const
const VALUES = says('a list of at least one time', 'Write for example [12, 15, 80].')
const service = choice(
  [
    requiredNumber(SERVICE_MS, 40),
    object(
      'ServiceFile',
      {
        kind: words(KINDS, 'Write for example "exponential".'),
        meanMs: maybe(SERVICE_MS, 40),
        spread: number(PART, 0.1),
        cv: number({ min: 0.01, max: 20 }, 1),
        shape: number({ min: 1.05, max: 20 }, 2.5),
        valuesMs: v.optional(
          v.pipe(v.array(requiredNumber(SERVICE_MS, 40), VALUES), v.minLength(1, VALUES)),
        ),
      },
      SERVICE,
    ),
  ],
  (input) => (isPlainObject(input) ? 1 : 0),
  SERVICE,
)

const origin = object(
  'OriginFile',
  {
    servers: requiredNumber(SERVERS, 8),
    serviceMs: service,
    order: oneOf(['first-come', 'sharing'], 'first-come'),
    thrashesAbove: maybe({ min: 1, max: 100_000, whole: true }, 50),
    wastesWork: flag,
    timeoutMs: maybe({ min: 1, max: 600_000, unit: MS }, 30_000),
  },
  says('{ servers, serviceMs, … }', 'Write for example { "servers": 8, "serviceMs": 40 }.'),
)

const CHANGES = says('a list of changes', 'Write for example [{ "atS": 600, "servers": 4 }].')
const change = object(
  'ChangeFile',
  {
    atS: requiredNumber(SECONDS, 600),
    servers: maybe(SERVERS, 4),
    speed: maybe({ min: 0, max: 100 }, 0.5),
    withinS: maybe(SOME_SECONDS, 300),
    abrupt: flag,
    announced: flag,
  },
  says('a change { atS, servers }', 'Write for example { "atS": 600, "servers": 4 }.'),
)

const edge = object(
  'EdgeFile',
  {
    colos: number({ min: 1, max: 300, whole: true }, 1),
    isolates: number({ min: 1, max: 100, whole: true }, 1),
    skew: number({ min: 0, max: 3 }, 0),
    lost: number({ min: 0, max: 0.9 }, 0),
    late: number(PART, 0),
  },
  says('{ colos, isolates, … }', 'Leave it out for one isolate.'),
)

const EXAMPLE =
  '{ "name": "sale", "seconds": 900, "arrivals": { "rate": 300 }, "origin": { "servers": 8, "serviceMs": 40 } }'

export const scenarioSchema = object(
  'ScenarioFile',
  {
    $schema: v.optional(v.string(says('the address of a JSON Schema', 'Leave it out.'))),
    name,
    text: v.optional(v.string(says('a sentence', 'Leave it out.'))),
    seconds: requiredNumber({ min: 10, max: 1_000_000, whole: true, unit: S }, 900),
    measureFromSeconds: number({ min: 0, max: 1_000_000, whole: true, unit: S }, 0),
    granularity: oneOf(['session', 'request'], DEFAULTS.granularity),
    sla: v.optional(sla, {}),
    arrivals,
    visitors: v.optional(visitors, {}),
    session: v.optional(session),
    classes: v.optional(v.array(classFile, says('a list of classes', 'Leave it out for one.'))),
    origin,
    changes: v.optional(v.array(change, CHANGES), []),
    edge: v.optional(edge, {}),
  },
  says('a scenario { name, seconds, arrivals, origin, … }', `Write for example ${EXAMPLE}.`),
)

/** What the schema makes of a file: every default is filled in. */
export type ParsedScenario = v.InferOutput<typeof scenarioSchema>
