import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { createLearner } from '../../src/learners/registry.ts'
import { HISTOGRAM_BUCKETS } from '../../src/lib/histogram.ts'
import { CHOICES } from '../support/learner-choices.ts'
import { classTick, tick, tierTick, times } from '../support/samples.ts'

const good = tick({
  offered: 30,
  timesMs: times(30, 300),
  inFlight: 9,
  classes: [classTick({ offered: 30, timesMs: times(30, 300) })],
})

const tier = tierTick({ timesMs: times(30, 300) })

/** The good tick with one error each. */
const BAD: Readonly<Record<string, Sample>> = {
  'a length of zero': { ...good, lengthMs: 0 },
  'a negative length, of a clock that jumped back': { ...good, lengthMs: -1000 },
  'a length that is NaN': { ...good, lengthMs: Number.NaN },
  'an infinite offered rate': { ...good, offered: { sessions: 1, requests: Infinity } },
  'a negative admitted rate': { ...good, admitted: { sessions: -1, requests: 30 } },
  'a goodput that is NaN': { ...good, goodput: Number.NaN },
  'negative failures': { ...good, failures: -1 },
  'an absurd number in service': { ...good, inFlight: 1e300 },
  'more late than completed': { ...good, tiers: [{ ...tier, late: 31 }] },
  'a target of zero': { ...good, tiers: [{ ...tier, targetMs: 0 }] },
  'a percentile of 100': { ...good, tiers: [{ ...tier, percentile: 100 }] },
  'a histogram with a bucket beyond ours': {
    ...good,
    tiers: [{ ...tier, latency: [HISTOGRAM_BUCKETS, 30] }],
  },
  'a histogram of another form': { ...good, tiers: [{ ...tier, latency: [3, 1, 2, 1] }] },
  'a negative class rate': { ...good, classes: [classTick({ offered: -5 })] },
  'a capacity that is NaN': { ...good, capacity: [{ before: Number.NaN, after: 1 }] },
}

describe.each(CHOICES)('numbers are safe in $name $options', (choice) => {
  it.for(Object.entries(BAD))('%s changes nothing', ([, bad], { expect }) => {
    const { learner } = createLearner(choice)
    for (let second = 0; second < 70; second++) learner.update(good)
    const kept = learner.state
    expect(learner.update(bad).reason).toBe('invalid')
    expect(learner.state).toBe(kept)
  })

  it('keeps limits and probabilities in bounds for any sample', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 1, maxLength: 80 }), (samples) => {
        const { learner } = createLearner(choice)
        for (const sample of samples) {
          const { limit, probabilities = {} } = learner.update(sample)
          if (limit !== null) {
            expect(Number.isFinite(limit)).toBe(true)
            expect(limit).toBeGreaterThan(0)
          }
          for (const probability of Object.values(probabilities)) {
            expect(probability).toBeGreaterThanOrEqual(0)
            expect(probability).toBeLessThanOrEqual(1)
          }
          expect(createLearner(choice, JSON.parse(JSON.stringify(learner.state))).note).toBeNull()
        }
      }),
      { numRuns: 60 },
    )
  })
})

const anyRate = fc.oneof(
  fc.double({ min: 0, max: 500, noNaN: true }),
  fc.constantFrom(0, 1e-9, 1e11, -1, Number.NaN, Infinity),
)

const anyTimes = fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { maxLength: 40 })

const anySample: fc.Arbitrary<Sample> = fc
  .record({
    lengthMs: fc.constantFrom(0, 1, 100, 1000, 5000, 60_000, 1e11),
    granularity: fc.constantFrom('session' as const, 'request' as const),
    offered: anyRate,
    admitted: anyRate,
    goodput: anyRate,
    failed: fc.nat(20),
    inFlight: anyRate,
    timesMs: anyTimes,
    targetMs: fc.constantFrom(1, 200, 5000, 1e9),
    percentile: fc.constantFrom(50, 95, 99.9),
    capacity: fc.array(fc.record({ before: anyRate, after: anyRate }), { maxLength: 2 }),
  })
  .map((given) =>
    tick({
      ...given,
      classes: [classTick({ ...given, key: 'a' }), classTick({ ...given, key: '__proto__' })],
    }),
  )
