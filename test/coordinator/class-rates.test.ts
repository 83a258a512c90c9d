import { describe, it } from 'vitest'
import { classRates } from '../../src/coordinator/allocate-limit.ts'
import { costsOf } from '../../src/coordinator/class-cost.ts'
import { EMPTY_QUEUE } from '../../src/coordinator/queue/class-queue.ts'
import { stateWith } from '../../src/coordinator/state.ts'
import type { Decision } from '../../src/learners/learner-interface.ts'
import { setupOf } from '../support/feedback.ts'

const KEY = 'shop/default'

/** Tickets that enter per second. 600 visitors/s arrive, and 60/s are known to the policy. */
function rateOf(decision: Partial<Decision>): number | null {
  const state = stateWith(setupOf(), null, {
    decision: { limit: null, reason: 'steady', ...decision },
    arrivals: { [KEY]: { rate: 600, seconds: 60 } },
    known: { [KEY]: 60 },
    queues: { [KEY]: EMPTY_QUEUE },
  })
  return classRates(state, costsOf(state.serviceTotals))[KEY]!
}

describe('what the limit gives a class with its tickets', () => {
  it('is the limit, also where a forecast of arrivals does not know of the surge', ({ expect }) => {
    expect(rateOf({ limit: 90 })).toBeCloseTo(90, 9)
    expect(rateOf({ limit: 90, arrivals: 60 })).toBeCloseTo(90, 9)
  })

  it('is no more than stops a surge, where a policy sets probabilities: 1.5 times p of 60/s', ({
    expect,
  }) => {
    expect(rateOf({ probabilities: { [KEY]: 1 } })).toBeCloseTo(90, 9)
    expect(rateOf({ probabilities: { [KEY]: 0.5 } })).toBeCloseTo(45, 9)
    expect(rateOf({ probabilities: { [KEY]: 0.05 } })).toBeCloseTo(4.5, 9)
  })

  it('is 1.5 times the rate of a policy that has rates', ({ expect }) => {
    expect(rateOf({ probabilities: { [KEY]: 0.1 }, rates: { [KEY]: 20 } })).toBeCloseTo(30, 9)
  })

  it('has no bound without a limit', ({ expect }) => {
    expect(rateOf({})).toBeNull()
  })
})
