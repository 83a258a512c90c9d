import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Sample, TierSample } from '../../src/learners/learner-interface.ts'
import { createLearner } from '../../src/learners/registry.ts'
import { mergeHistograms } from '../../src/lib/histogram.ts'
import { CHOICES } from '../support/learner-choices.ts'
import { classTick, tick } from '../support/samples.ts'

const anyTimes = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 30 })

/** The samples of two places for the same second. */
const anySecond = fc.record({ here: anyTimes, there: anyTimes, failed: fc.nat(3) })

function seen(timesMs: readonly number[], failed: number): Sample {
  const classes = [classTick({ offered: timesMs.length, timesMs, failed })]
  return tick({ offered: timesMs.length, timesMs, failed, classes })
}

/** Adds two samples of one second as the coordinator adds feedback: counts and histograms. */
function merge(a: Sample, b: Sample): Sample {
  const requests = a.offered.requests + b.offered.requests
  const rates = { sessions: requests, requests }
  return {
    ...a,
    offered: rates,
    admitted: rates,
    goodput: a.goodput + b.goodput,
    failures: a.failures + b.failures,
    tiers: [mergeTier(a.tiers[0]!, b.tiers[0]!)],
    classes: [
      {
        ...a.classes[0]!,
        offered: requests,
        admitted: requests,
        failures: a.classes[0]!.failures + b.classes[0]!.failures,
        latency: mergeHistograms(a.classes[0]!.latency, b.classes[0]!.latency),
      },
    ],
  }
}

function mergeTier(a: TierSample, b: TierSample): TierSample {
  return {
    ...a,
    completed: a.completed + b.completed,
    late: a.late + b.late,
    latencyUs: a.latencyUs + b.latencyUs,
    latency: mergeHistograms(a.latency, b.latency),
  }
}

describe.each(CHOICES)('merging and then learning in $name $options', (choice) => {
  it('equals learning from the merged sample', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(anySecond, { minLength: 70, maxLength: 140 }), (seconds) => {
        const apart = createLearner(choice).learner
        const together = createLearner(choice).learner
        for (const { here, there, failed } of seconds) {
          const merged = apart.update(merge(seen(here, failed), seen(there, 0)))
          expect(merged).toEqual(together.update(seen([...here, ...there], failed)))
        }
        expect(apart.state).toEqual(together.state)
      }),
      { numRuns: 15 },
    )
  })
})
