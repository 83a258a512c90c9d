import { describe, it } from 'vitest'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import type { Learner, Sample } from '../../../src/learners/learner-interface.ts'
import { createLearner } from '../../../src/learners/registry.ts'
import { requestPlant } from '../../support/request-plant.ts'

/** How often the learner tried more than the capacity that it knew, in ten minutes at one and a half times the load. */
function probes(knownPeak: number | null): number {
  const { learner } = createLearner({ name: 'soc-lqr', options: {} })
  let tried = 0
  let before = 0
  const told: Learner = {
    get state() {
      return learner.state
    },
    update(sample: Sample) {
      const decision = learner.update(knownPeak === null ? sample : { ...sample, knownPeak })
      const { stage } = (learner.state as unknown as { knowledge: { probe: { stage: number } } })
        .knowledge.probe
      if (stage > before) tried++
      before = stage
      return decision
    },
  } as Learner
  runPlant({ plant: requestPlant(1.5), seed: 1, seconds: 600, learner: () => told })
  return tried
}

describe('a peak that earlier days had (Urgaonkar et al. 2008, §5.1)', () => {
  it('makes the learner try less while it comes: fewer probes than without it', ({ expect }) => {
    const usual = probes(null)
    expect(usual).toBeGreaterThan(0)
    expect(probes(1e6)).toBeLessThan(usual)
  })

  it('changes nothing if it is below the limit', ({ expect }) => {
    expect(probes(0.001)).toBe(probes(null))
  })
})
