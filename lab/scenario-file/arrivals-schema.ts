import * as v from 'valibot'
import { complaint, says } from '../../src/config/schema/explain.ts'
import { listOfSome, number, requiredNumber } from '../../src/config/schema/fields.ts'
import { key, object } from '../../src/config/schema/objects.ts'

/** How many visitors come: the part `arrivals` of a scenario file. */

export const RATE = { min: 0, max: 100_000, unit: 'per second' } as const
const SOME_RATE = { ...RATE, min: 0.001 } as const
export const SECONDS = { min: 0, max: 10_000_000, unit: 'seconds' } as const
export const SOME_SECONDS = { ...SECONDS, min: 0.1 } as const
export const PART = { min: 0, max: 1 } as const

export const maybe = (range: Parameters<typeof requiredNumber>[0], example: number) =>
  v.optional(requiredNumber(range, example))

const fileName = (expected: string, example: string) =>
  v.string(says({ expected, remedy: `Write for example "${example}".` }))

const step = v.strictTuple(
  [requiredNumber(SECONDS, 600), requiredNumber(RATE, 20)],
  says(complaint('a pair of second and rate', 'Write for example [600, 20].')),
)
const steps = listOfSome(
  step,
  complaint('a list of pairs of second and rate', 'Write for example [[0, 2], [600, 20]].'),
)

const flashCrowd = object(
  'arrivals.flashCrowd',
  complaint(
    '{ base, peak, startS, doublingS, holdS }',
    'Write { "base": 2, "peak": 20, "startS": 600, "doublingS": 120, "holdS": 600 }.',
  ),
  {
    base: key('Rate before and after. Per second, above 0.', requiredNumber(SOME_RATE, 2)),
    peak: key('Highest rate. Per second, above 0.', requiredNumber(SOME_RATE, 20)),
    startS: key('When the rise starts. Seconds.', requiredNumber(SECONDS, 600)),
    doublingS: key(
      'The time in which the rate doubles. Seconds.',
      requiredNumber(SOME_SECONDS, 120),
    ),
    holdS: key('How long the peak lasts. Seconds.', requiredNumber(SECONDS, 600)),
  },
)

const day = object(
  'arrivals.day',
  complaint('{ mean, swing, peakS }', 'Write { "mean": 10, "swing": 0.6, "peakS": 43200 }.'),
  {
    mean: key('Mean rate. Per second, above 0.', requiredNumber(SOME_RATE, 10)),
    swing: key('Height of the wave as a part of the mean. 0 to 1.', requiredNumber(PART, 0.6)),
    peakS: key('Time of the peak within the day. Seconds.', requiredNumber(SECONDS, 43_200)),
    dayS: key(
      'Length of a day, which may be shorter than a real one. Seconds. Default: 86400.',
      number({ ...SOME_SECONDS, max: 86_400 }, 86_400),
    ),
  },
)

const burst = object(
  'arrivals.bursts[]',
  complaint('a state { rate, meanS }', 'Write { "rate": 20, "meanS": 10 }.'),
  {
    rate: key('Rate in this state. Per second, above 0.', requiredNumber(SOME_RATE, 20)),
    meanS: key('Mean time in this state. Seconds.', requiredNumber(SOME_SECONDS, 10)),
  },
)
const bursts = listOfSome(
  burst,
  complaint(
    'a list of at least two states { rate, meanS }',
    'Write [{ "rate": 2, "meanS": 60 }, { "rate": 20, "meanS": 10 }].',
  ),
  2,
)

export const arrivals = object(
  'arrivals',
  complaint('{ rate }, { steps } or another form of arrivals', 'Write for example { "rate": 20 }.'),
  {
    rate: key('A constant rate. Per second, 0 to 100000.', maybe(RATE, 20)),
    steps: v.optional(
      key(
        'Rates, each with the second from which it applies: `[[0, 2], [600, 20]]`. The first is from second 0.',
        steps,
      ),
    ),
    flashCrowd: v.optional(
      key('A rate that doubles repeatedly up to a peak, and falls again.', flashCrowd),
    ),
    day: v.optional(key('A wave that repeats, as the load of a day does.', day)),
    bursts: v.optional(
      key(
        'Bursts: states that follow one another in a circle, each for a random time (a Markov-modulated Poisson process).',
        bursts,
      ),
    ),
    trace: v.optional(
      key(
        'A rate trace: name of a CSV file of seconds and rate per second, beside the scenario file.',
        fileName('the name of a CSV file', 'rates.csv'),
      ),
    ),
    log: v.optional(
      key(
        'A log that is replayed visit by visit: name of an access log or of a CSV file with a column `seconds`, beside the scenario file.',
        fileName('the name of a log file', 'access.log'),
      ),
    ),
  },
)
