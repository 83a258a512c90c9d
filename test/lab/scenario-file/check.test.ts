import { describe, it } from 'vitest'
import { checkScenario } from '../../../lab/scenario-file/check.ts'
import { problemsText } from '../../../src/config/errors/problem.ts'

const GOOD = {
  name: 'sale',
  seconds: 900,
  granularity: 'request',
  sla: { targetMs: 200, windowMs: 60_000 },
  arrivals: { rate: 300 },
  origin: { servers: 8, serviceMs: 40 },
}

const told = (input: unknown): string => {
  const checked = checkScenario(input)
  return checked.ok ? 'ok' : problemsText(checked.problems, 'the scenario')
}

describe('a scenario file', () => {
  it('gets every default', ({ expect }) => {
    const checked = checkScenario({ ...GOOD, granularity: undefined })
    expect(checked).toMatchObject({
      ok: true,
      scenario: {
        granularity: 'session',
        measureFromSeconds: 0,
        visitors: { retryAtOnce: 0, retryAsTold: 0, resend: 0 },
        edge: { colos: 1, isolates: 1, skew: 0, lost: 0, late: 0 },
        changes: [],
      },
    })
  })

  it('is told all its problems at once: path, expected, found, what to write', ({ expect }) => {
    const text = told({
      ...GOOD,
      seconds: '15min',
      origin: { servers: 0, serviceMs: { kind: 'gauss' } },
      arrivalls: {},
    })
    expect(text.split('\n')).toEqual([
      '4 problems in the scenario',
      '  seconds: expected a whole number from 10 to 1000000 (seconds), got "15min" (string). Write 900.',
      '  origin.servers: expected a whole number from 1 to 10000, got 0 (number). Write for example 8.',
      expect.stringContaining('  origin.serviceMs.kind: expected "exponential", "constant"'),
      '  arrivalls: expected a known key, got "arrivalls". Did you mean "arrivals"?',
    ])
  })

  it('names the whole where it is no object', ({ expect }) => {
    expect(told([])).toContain('  scenario: expected a scenario { name, seconds,')
  })

  const contradictions: readonly (readonly [string, object, string])[] = [
    [
      'two forms of arrivals',
      { arrivals: { rate: 1, trace: 'a.csv' } },
      'arrivals: expected exactly one of rate, steps, flashCrowd, day, bursts, trace, log, got "rate" and "trace"',
    ],
    ['no form of arrivals', { arrivals: {} }, 'got none'],
    [
      'steps that do not start at 0',
      { arrivals: { steps: [[5, 1]] } },
      'arrivals.steps[0][0]: expected the second 0 first, got 5 (number). Write 0.',
    ],
    [
      'steps that go back',
      { arrivals: { steps: [[0, 1], [600, 2], [300, 3]] } }, // biome-ignore format: a table
      'arrivals.steps[2][0]: expected a second after 600, got 300',
    ],
    [
      'a peak below the base',
      { arrivals: { flashCrowd: { base: 9, peak: 3, startS: 0, doublingS: 60, holdS: 60 } } },
      'arrivals.flashCrowd.peak: expected more than base, which is 9',
    ],
    [
      'a measured time that never begins',
      { measureFromSeconds: 900 },
      'measureFromSeconds: expected less than seconds, which is 900',
    ],
    [
      'a window longer than the measured time',
      { sla: { windowMs: 3_600_000 } },
      'sla.windowMs: expected at most the measured time, which is 900000 milliseconds',
    ],
    [
      'more retries than visitors',
      { visitors: { retryAtOnce: 0.7, retryAsTold: 0.7 } },
      'visitors.retryAsTold: expected at most',
    ],
    [
      'sessions on a request route',
      { session: {} },
      'session: expected nothing, since granularity is "request"',
    ],
    [
      'parts that do not make a whole',
      { classes: [{ name: 'a', part: 0.5 }] },
      'classes: expected parts that make 1 together, got parts that make 0.5',
    ],
    [
      'classes out of order',
      {
        classes: [
          { name: 'a', part: 0.5, value: 1 },
          { name: 'b', part: 0.5, value: 2 },
        ],
      },
      'classes[1].value: expected at most 1, the value of the class before, got 2 (number). Write the most valuable class first.',
    ],
    [
      'a change of nothing',
      { changes: [{ atS: 60 }] },
      'changes[0]: expected servers or speed, got neither',
    ],
    [
      'a slow change of servers',
      { changes: [{ atS: 60, servers: 4, withinS: 60 }] },
      'changes[0].withinS: expected a change of speed alone',
    ],
    [
      'thrashing in a line',
      { origin: { servers: 8, serviceMs: 40, thrashesAbove: 9 } },
      'origin.thrashesAbove: expected nothing unless order is "sharing"',
    ],
    [
      'data without values',
      { origin: { servers: 8, serviceMs: { kind: 'data' } } },
      'origin.serviceMs.valuesMs: expected measured values, since kind is "data"',
    ],
    [
      'a form without its mean',
      { origin: { servers: 8, serviceMs: { kind: 'pareto' } } },
      'origin.serviceMs.meanMs: expected the mean (milliseconds), got nothing. Write for example 40.',
    ],
  ]
  for (const [what, part, text] of contradictions) {
    it(`is not taken with ${what}`, ({ expect }) => {
      expect(told({ ...GOOD, ...part })).toContain(text)
    })
  }
})
