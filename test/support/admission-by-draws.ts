import type { PolicyFactory } from '../../lab/gate/policy.ts'
import type { Learner } from '../../src/learners/learner-interface.ts'

/** Enforces a learner's limit with independent draws, so that the admitted requests are a Poisson process too. */
export function byDraws(learner: Pick<Learner, 'update'>, offered: number): PolicyFactory {
  return (_view, _setting, world) => {
    const random = world.random('draws')
    let limit: number | null = null
    return {
      get limit() {
        return limit ?? Number.POSITIVE_INFINITY
      },
      tick(sample) {
        limit = learner.update(sample).limit
      },
      admits: () => random.next() * offered < (limit ?? offered),
    }
  }
}
