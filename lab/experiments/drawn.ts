import type { Decision, Sample } from '../../src/learners/learner.ts'
import type { LearnerFactory } from '../gate/learner-policy.ts'
import type { PolicyFactory } from '../gate/policy.ts'

/**
 * Enforces a learner's limit as soc.md §4.1 does: everybody draws with p = min{1, λ* / λ̂_in}. The product
 * holds the limit in a bucket instead, which needs no forecast of who will come.
 */
export function drawn(create: LearnerFactory): PolicyFactory {
  return (_view, setting, world) => {
    const learner = create(setting)
    const coins = world.random('draws')
    let decision: Decision | undefined
    return {
      get limit() {
        return decision?.limit ?? Number.POSITIVE_INFINITY
      },
      tick(sample: Sample) {
        decision = learner.update(sample)
      },
      // A coin is thrown for everybody, so that the same visitor has the same one under every limit.
      admits: () => coins.next() < probabilityOf(decision),
    }
  }
}

export function probabilityOf(decision: Decision | undefined): number {
  const { limit = null, expected = 0 } = decision ?? {}
  return limit === null || expected <= limit ? 1 : limit / expected
}
