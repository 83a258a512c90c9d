import fc from 'fast-check'
import { describe, it } from 'vitest'
import { NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import {
  areaBefore,
  comingWithin,
  forecast,
  madeBefore,
  requestCurve,
} from '../../../src/learners/soc-lqr/forecast.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'

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
        expect(Math.abs(exact - sum)).toBeLessThan(0.01 * exact + 0.01)
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
