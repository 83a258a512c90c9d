import type { Sample } from '../../src/learners/learner-interface.ts'
import type { SocLearner } from '../../src/learners/soc/learner.ts'
import type { PolicyFactory } from '../gate/policy.ts'

/**
 * Enforces the limit of SOC as its paper does: each request is drawn with p = min{1, λ* / λ̂_in} (Bartolini et al.
 * 2009, §4.1). In the product the probability also follows a token bucket, since no forecast is exact.
 */
export function byProbability(create: () => SocLearner): PolicyFactory {
  return (_view, _setting, world) => {
    const learner = create()
    const coins = world.random('draws')
    return {
      get limit() {
        return learner.state.limit ?? Number.POSITIVE_INFINITY
      },
      tick(sample: Sample) {
        learner.update(sample)
      },
      // Always draw, so that a visitor has the same draw under every limit.
      admits: () => coins.next() < probabilityOf(learner.state),
    }
  }
}

function probabilityOf({ limit, expected }: SocLearner['state']): number {
  return limit === null || expected === null || expected <= limit ? 1 : limit / expected
}
