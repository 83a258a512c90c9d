import * as v from 'valibot'
import { GRANULARITIES } from '../../src/config/config.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { isPlainObject } from '../../src/config/errors/wording.ts'
import { complaint, says } from '../../src/config/schema/explain.ts'
import {
  flag,
  listOfSome,
  name,
  number,
  oneOf,
  requiredNumber,
  words,
} from '../../src/config/schema/fields.ts'
import { choice, key, object } from '../../src/config/schema/objects.ts'
import { MS } from '../../src/config/schema/range.ts'
import { arrivals, maybe, PART, RATE, SECONDS, SOME_SECONDS } from './arrivals-schema.ts'

/**
 * What a user writes in a scenario file, key by key. The title of an object is its place in the file: docs.ts
 * makes the tables of docs/lab.md from titles and descriptions. Contradictions between keys are in check.ts.
 */

const SERVERS = { min: 1, max: 10_000, whole: true } as const
const SERVICE_MS = { min: 0.01, max: 600_000, unit: MS } as const
const NAME = 'Name in the results. 1 to 64 letters, digits, `.`, `_`, `-`.'

const sla = object(
  'sla',
  complaint('{ percentile, targetMs, windowMs }', 'Write for example { "targetMs": 500 }.'),
  {
    percentile: key(
      'How many of 100 requests must be within the target. 1 to 99.99. Default: 95.',
      number({ min: 1, max: 99.99, unit: 'per cent' }, DEFAULTS.sla.percentile),
    ),
    targetMs: key(
      'The response time that they must keep. Milliseconds, 1 to 120000. Default: 1000.',
      number({ min: 1, max: 120_000, unit: MS }, DEFAULTS.sla.targetMs),
    ),
    windowMs: key(
      'The time over which the percentile is taken. Whole milliseconds, 1000 to 86400000. Default: 300000.',
      number({ min: 1000, max: 86_400_000, whole: true, unit: MS }, DEFAULTS.sla.windowMs),
    ),
  },
)

const visitors = object(
  'visitors',
  complaint(
    '{ patienceMs, retryAtOnce, … }',
    'Leave it out for patient visitors who never come back.',
  ),
  {
    patienceMs: key(
      'How long they wait for a response before they leave. Milliseconds. Default: without limit.',
      maybe({ min: 1, max: 3_600_000, unit: MS }, 8000),
    ),
    retryAtOnce: key(
      'Part of the refused visitors who come back after a second, whatever `Retry-After` says. 0 to 1. Default: 0.',
      number(PART, 0),
    ),
    retryAsTold: key(
      'Part of the refused visitors who come back when `Retry-After` says so. 0 to 1. Default: 0.',
      number(PART, 0),
    ),
    resend: key(
      'How often a visitor repeats a failed request. Whole, 0 to 100. Default: 0.',
      number({ min: 0, max: 100, whole: true }, 0),
    ),
  },
)

const session = object(
  'session',
  complaint('{ requests, thinkMs }', 'Write for example { "requests": 10 }.'),
  {
    requests: key(
      'Mean number of requests of a session. After each one it ends with the same probability. 1 to 1000. Default: 10.',
      number({ min: 1, max: 1000 }, 10),
    ),
    thinkMs: key(
      'Mean time from a response to the next request, exponentially distributed. Milliseconds, 1 to 3600000. Default: 10000.',
      number({ min: 1, max: 3_600_000, unit: MS }, 10_000),
    ),
  },
)

const routeClass = object(
  'classes[]',
  complaint('a class { name, part, … }', 'Write { "name": "buyers", "value": 10, "part": 0.1 }.'),
  {
    name: key(NAME, name('sale')),
    value: key(
      'Value of one request or session of this class, relative to the other classes. 0 to 1000000. Default: 1.',
      number({ min: 0, max: 1_000_000 }, 1),
    ),
    guaranteed: key(
      'This many per second are always admitted. 0 to 100000. Default: 0.',
      number(RATE, 0),
    ),
    part: key(
      'Part of the visitors in this class. 0 to 1; all parts together are 1.',
      requiredNumber(PART, 0.1),
    ),
  },
)

const KINDS = ['exponential', 'constant', 'uniform', 'log-normal', 'pareto', 'data'] as const
const SERVICE = complaint(
  'a mean in milliseconds, or { kind, meanMs }',
  'Write for example 40, or { "kind": "log-normal", "meanMs": 40, "cv": 2 }.',
)
const valuesMs = listOfSome(
  requiredNumber(SERVICE_MS, 40),
  complaint('a list of at least one time', 'Write for example [12, 15, 80].'),
)
const service = choice(
  [
    requiredNumber(SERVICE_MS, 40),
    object('origin.serviceMs', SERVICE, {
      kind: key('The distribution.', words(KINDS, 'Write for example "exponential".')),
      meanMs: key('Its mean. Milliseconds; not with `data`.', maybe(SERVICE_MS, 40)),
      spread: key(
        '`uniform`: the mean, plus or minus this part of it. 0 to 1. Default: 0.1.',
        number(PART, 0.1),
      ),
      cv: key(
        '`log-normal`: coefficient of variation. 0.01 to 20. Default: 1.',
        number({ min: 0.01, max: 20 }, 1),
      ),
      shape: key(
        '`pareto`: the shape. A lower shape has a heavier tail. 1.05 to 20. Default: 2.5.',
        number({ min: 1.05, max: 20 }, 2.5),
      ),
      valuesMs: v.optional(
        key('`data`: measured values in milliseconds, each with the same probability.', valuesMs),
      ),
    }),
  ],
  SERVICE,
  (input) => (isPlainObject(input) ? 1 : 0),
)

const origin = object(
  'origin',
  complaint('{ servers, serviceMs, … }', 'Write for example { "servers": 8, "serviceMs": 40 }.'),
  {
    servers: key('Servers that share one queue. Whole, 1 to 10000.', requiredNumber(SERVERS, 8)),
    serviceMs: key(
      'How long a server works on a request: a mean in milliseconds (exponential), or a distribution.',
      service,
    ),
    order: key(
      '`first-come`: one queue for all servers; `sharing`: all requests are served at once, each with an equal part. Default: `first-come`.',
      oneOf(['first-come', 'sharing'], 'first-come'),
    ),
    thrashesAbove: key(
      'Thrashing: above this many requests at once, each further request slows all down. Whole; only with `sharing`. Default: never.',
      maybe({ min: 1, max: 100_000, whole: true }, 50),
    ),
    wastesWork: key(
      'A server does not notice that a client has left, and finishes its request. Default: false.',
      flag(false),
    ),
    timeoutMs: key(
      'A response that takes longer has failed. Milliseconds. Default: never.',
      maybe({ min: 1, max: 600_000, unit: MS }, 30_000),
    ),
  },
)

const CHANGE = 'Write for example { "atS": 600, "servers": 4 }.'
const change = object('changes[]', complaint('a change { atS, servers }', CHANGE), {
  atS: key('When it happens. Seconds.', requiredNumber(SECONDS, 600)),
  servers: key('Number of servers from then on. Whole, 1 to 10000.', maybe(SERVERS, 4)),
  speed: key(
    'Speed of all servers from then on: 1 is normal, 0 is a standstill. 0 to 100.',
    maybe({ min: 0, max: 100 }, 0.5),
  ),
  withinS: key(
    'The time in which the speed changes, in small steps. Seconds. Default: at once.',
    maybe(SOME_SECONDS, 300),
  ),
  abrupt: key('Servers that are removed drop their requests. Default: false.', flag(false)),
  announced: key('The operator announces the change to Tidegate. Default: false.', flag(false)),
})

const edge = object('edge', complaint('{ colos, isolates, … }', 'Leave it out for one isolate.'), {
  colos: key(
    'Data centres, each with its own relay. Whole, 1 to 300. Default: 1.',
    number({ min: 1, max: 300, whole: true }, 1),
  ),
  isolates: key(
    'Isolates in each data centre. Whole, 1 to 100. Default: 1.',
    number({ min: 1, max: 100, whole: true }, 1),
  ),
  skew: key(
    'How uneven the load is: data centre k gets 1/k^skew of the load of the first. 0 to 3. Default: 0.',
    number({ min: 0, max: 3 }, 0),
  ),
  lost: key(
    'Part of the reports that get lost. 0 to 0.9. Default: 0.',
    number({ min: 0, max: 0.9 }, 0),
  ),
  late: key(
    'Part of the reports that arrive two seconds late. 0 to 1. Default: 0.',
    number(PART, 0),
  ),
})

const EXAMPLE =
  '{ "name": "sale", "seconds": 900, "arrivals": { "rate": 300 }, "origin": { "servers": 8, "serviceMs": 40 } }'
const sentence = (expected: string) => v.string(says({ expected, remedy: 'Leave it out.' }))

export const scenarioSchema = object(
  'scenario',
  complaint('a scenario { name, seconds, arrivals, origin, … }', `Write for example ${EXAMPLE}.`),
  {
    $schema: v.optional(
      key(
        'Address of the JSON Schema, for editors. It has no effect.',
        sentence('the address of a JSON Schema'),
      ),
    ),
    name: key(NAME, name('sale')),
    text: v.optional(
      key('What happens, in a sentence. Default: the name.', sentence('a sentence')),
    ),
    seconds: key(
      'Length of a run. Whole seconds, 10 to 1000000.',
      requiredNumber({ min: 10, max: 1_000_000, whole: true, unit: 'seconds' }, 900),
    ),
    measureFromSeconds: key(
      'Measurement starts here: at the surge, or after a warm-up. Whole seconds. Default: 0.',
      number({ min: 0, max: 1_000_000, whole: true, unit: 'seconds' }, 0),
    ),
    granularity: key(
      'What is admitted or refused: new sessions (an admitted session always passes), or single requests. Default: `session`.',
      oneOf(GRANULARITIES, DEFAULTS.granularity),
    ),
    sla: v.optional(
      key(
        'The service-level agreement: which percentage of the requests must be answered within which time.',
        sla,
      ),
      {},
    ),
    arrivals: key(
      'How many arrive: new sessions on session routes, requests elsewhere. Exactly one of its keys.',
      arrivals,
    ),
    visitors: v.optional(key('What visitors do when they wait or are refused.', visitors), {}),
    session: v.optional(
      key('The requests of one session. Only with `granularity: "session"`.', session),
    ),
    classes: v.optional(
      key(
        'Classes of visitors and their values, most valuable first. Default: one class.',
        v.array(routeClass, says(complaint('a list of classes', 'Leave it out for one.'))),
      ),
    ),
    origin: key('The servers that answer the requests.', origin),
    changes: v.optional(
      key(
        'Changes of the origin during the run. Default: none.',
        v.array(
          change,
          says(complaint('a list of changes', 'Write for example [{ "atS": 600, "servers": 4 }].')),
        ),
      ),
      [],
    ),
    edge: v.optional(
      key('The isolates between the visitors and the coordinator. Default: one isolate.', edge),
      {},
    ),
  },
)

/** What the schema makes of a file: every default is filled in. */
export type ParsedScenario = v.InferOutput<typeof scenarioSchema>
