import { describe, it } from 'vitest'
import { classRates } from '../../src/coordinator/allocate-limit.ts'
import { costsOf } from '../../src/coordinator/class-cost.ts'
import { EMPTY_QUEUE } from '../../src/coordinator/queue/class-queue.ts'
import { type CoordinatorState, stateWith } from '../../src/coordinator/state.ts'
import type { Decision } from '../../src/learners/learner-interface.ts'
import { CLASS, setupOf } from '../support/feedback.ts'

const KEY = 'shop/default'

/** Tickets that enter per second. 600 visitors/s arrive, and 60/s are known to the policy. */
function rateOf(
  decision: Partial<Decision>,
  setup = setupOf(),
  known: Partial<CoordinatorState> = {},
): number | null {
  const state = stateWith(setup, null, {
    decision: { limit: null, reason: 'steady', ...decision },
    arrivals: { [KEY]: { rate: 600, seconds: 60 } },
    known: { [KEY]: 60 },
    queues: { [KEY]: EMPTY_QUEUE },
    ...known,
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

  it('is that of its own policy, where the class is limited by itself', ({ expect }) => {
    const sla = { percentile: 95, targets: [{ fromRate: 0, targetMs: 3000 }], windowMs: 60_000 }
    const setup = setupOf({
      routes: { shop: { granularity: 'request', classes: [{ ...CLASS, sla }] } },
    })
    const own = { limit: null, reason: 'fast', probabilities: { [KEY]: 1 } } as const
    const classLimits = { [KEY]: { learner: null, decision: own } }
    expect(rateOf({ probabilities: {} }, setup, { classLimits })).toBeCloseTo(90, 9)
  })

  it('has no bound without a limit', ({ expect }) => {
    expect(rateOf({})).toBeNull()
  })
})
