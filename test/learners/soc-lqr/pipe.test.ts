import fc from 'fast-check'
import { describe, it } from 'vitest'
import { NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import { requestCurve } from '../../../src/learners/soc-lqr/forecast.ts'
import {
  demandAhead,
  NO_PIPE,
  observePipe,
  type Pipe,
  piledRequests,
  piledSessions,
  withDecision,
} from '../../../src/learners/soc-lqr/pipe.ts'
import { tickOf } from '../../../src/learners/soc-lqr/tick.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'
import { tick } from '../../support/samples.ts'

/** One page, at once. */
const ONE_PAGE = requestCurve(
  Array.from({ length: AGE_BUCKETS }, (_, bucket) => (bucket === 0 ? 1 / ageBucketFromS(1) : 0)),
)

describe('the dead time of the loop', () => {
  it('is the one that samples show, after some of them', ({ expect }) => {
    let pipe = NO_PIPE
    for (let i = 0; i < 30; i++) pipe = observePipe(pipe, tickOf({ ...tick({}), deadTimeMs: 1500 }))
    expect(pipe.deadS).toBeCloseTo(1.5, 2)
  })

  it('stays what it was where a sample does not know', ({ expect }) => {
    const pipe: Pipe = { deadS: 2, decided: [1, 10] }
    expect(observePipe(pipe, tickOf(tick({})))).toEqual(pipe)
  })
})

describe('what was decided and does not show yet', () => {
  it('is admitted before the next decision: 1 s at 30/s, the newest, and half a second at 10/s', ({
    expect,
  }) => {
    const pipe = withDecision(withDecision({ deadS: 1.5, decided: [] }, 10, 1), 30, 1)
    expect(demandAhead(NO_DEMAND, pipe, 100).admissions).toEqual([1.5, 35])
  })

  it('is no more than asks', ({ expect }) => {
    const pipe: Pipe = { deadS: 2, decided: [1, 30, 1, 10] }
    expect(demandAhead(NO_DEMAND, pipe, 20).admissions).toEqual([2, 30])
  })

  it('is remembered for a few seconds only', ({ expect }) => {
    let pipe = NO_PIPE
    for (let i = 0; i < 50; i++) pipe = withDecision(pipe, i, 1)
    expect(pipe.decided.length).toBeLessThanOrEqual(12)
  })

  it('piles up beyond what is served: 300/s for 2 s at an origin of 200/s are 200 requests', ({
    expect,
  }) => {
    const pipe: Pipe = { deadS: 2, decided: [1, 300, 1, 300] }
    expect(piledRequests(pipe, 1000, 200)).toBeCloseTo(200, 9)
    const outlook = { demand: NO_DEMAND, curve: ONE_PAGE, bias: 1, capacity: 200, offered: 1000 }
    // Sessions of one page are requests, but for the first page of those who have just come.
    expect(piledSessions(pipe, outlook)).toBeGreaterThan(100)
    expect(piledSessions(pipe, outlook)).toBeLessThan(200)
  })

  it('is nothing without a dead time', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e4, noNaN: true })),
        fc.nat(1e4),
        (decided, offered) => {
          const pipe: Pipe = { deadS: 0, decided }
          expect(demandAhead(NO_DEMAND, pipe, offered)).toBe(NO_DEMAND)
          expect(piledRequests(pipe, offered, 100)).toBe(0)
        },
      ),
    )
  })
})
