import fc from 'fast-check'
import { describe, it } from 'vitest'
import { NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import {
  areaBefore,
  comingWithin,
  demandAhead,
  forecast,
  madeBefore,
  NO_PIPE,
  observePipe,
  type Pipe,
  piledRequests,
  piledSessions,
  requestCurve,
  withDecision,
} from '../../../src/learners/soc-lqr/forecast.ts'
import { tickOf } from '../../../src/learners/soc-lqr/tick.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'
import { tick } from '../../support/samples.ts'

const rates = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), {
  minLength: AGE_BUCKETS,
  maxLength: AGE_BUCKETS,
})
const admissions = fc
  .array(fc.tuple(fc.double({ min: 0.1, max: 20, noNaN: true }), fc.nat(50)), { maxLength: 8 })
  .map((slots) => slots.flat())
const seconds = fc.double({ min: 0, max: 400, noNaN: true })

/** Two pages, one at once and one between the ages 4 and 8: H is 1 from 0.4 s on, and 2 from 8 s on. */
const TWO_PAGES = requestCurve(
  Array.from({ length: AGE_BUCKETS }, (_, bucket) =>
    bucket === 0
      ? 1 / ageBucketFromS(1)
      : bucket >= 8 && ageBucketFromS(bucket + 1) <= 12.01
        ? 1 / 8
        : 0,
  ),
)

describe('what a session has asked for by an age', () => {
  it('is H: one page at once, the other evenly from 4 s to 12 s', ({ expect }) => {
    expect([1, 4, 8, 12, 100].map((ageS) => madeBefore(TWO_PAGES, ageS))).toEqual(
      [1, 1, 1.5, 2, 2].map((made) => expect.closeTo(made, 9)),
    )
  })

  it('adds up to A, whose slope is H', ({ expect }) => {
    fc.assert(
      fc.property(rates, seconds, (given, ageS) => {
        const curve = requestCurve(given)
        const slope = (areaBefore(curve, ageS + 1e-3) - areaBefore(curve, ageS)) / 1e-3
        expect(slope).toBeCloseTo(madeBefore(curve, ageS), 1)
      }),
    )
  })
})

describe('what admitted sessions will ask for within T', () => {
  it('is the sum of what they ask for in each moment of it', ({ expect }) => {
    fc.assert(
      fc.property(rates, admissions, (given, slots) => {
        const curve = requestCurve(given)
        const demand = { ...NO_DEMAND, admissions: slots }
        const steps = 400
        let sum = 0
        for (let i = 0; i < steps; i++)
          sum += forecast(demand, curve, ((i + 0.5) * 10) / steps) * (10 / steps)
        const exact = comingWithin(demand, curve, 10)
        // The sum has a step wherever the rate has one.
        expect(Math.abs(exact - sum)).toBeLessThan(0.02 * exact + 0.02)
      }),
      { numRuns: 50 },
    )
  })

  it('misses no page between two ages: sessions of the last second ask for their second page later', ({
    expect,
  }) => {
    const demand = { ...NO_DEMAND, admissions: [1, 100] }
    // The first page of those who came just now is still to come in part.
    expect(comingWithin(demand, TWO_PAGES, 3)).toBeLessThan(25)
    expect(comingWithin(demand, TWO_PAGES, 12)).toBeGreaterThan(100)
  })
})

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
