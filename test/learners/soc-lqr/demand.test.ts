import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type Demand,
  isDemand,
  NO_DEMAND,
  observeDemand,
  withoutEnded,
  withoutSessions,
} from '../../../src/learners/soc-lqr/demand.ts'
import { ageBucketFromS, ageBucketOf } from '../../../src/lib/session-age-buckets.ts'

/** Sessions that come evenly, `perSecond`, tick after tick: session-seconds of the last tick by age. */
function exposureAfter(ticks: number, perSecond: number, seconds: number) {
  let seen = observeDemand(NO_DEMAND, { seconds, sessions: perSecond * seconds, ages: [] })
  for (let tick = 1; tick < ticks; tick++) {
    seen = observeDemand(seen.demand, { seconds, sessions: perSecond * seconds, ages: [] })
  }
  return seen
}

/** Ages of 4, 12, 28 and 60 s are where the buckets 8, 16, 24 and 32 begin. */
function between(exposureS: readonly number[], from: number, to: number): number {
  return exposureS.slice(from, to).reduce((sum, value) => sum + value, 0)
}

const total = (values: readonly number[]) => between(values, 0, values.length)

describe('session-seconds by age, at two sessions a second in ticks of 4 s', () => {
  it('are 2 · 4²/2 = 16 in the first tick: who comes stays for half of it in the mean', ({
    expect,
  }) => {
    const { exposureS } = exposureAfter(1, 2, 4)
    expect(between(exposureS, 0, 8)).toBeCloseTo(16, 9)
    expect(between(exposureS, 8, 88)).toBe(0)
  })

  it('thin out with age in that tick: ∫ 2 (4 − x) dx up to 0.362 s, where bucket 1 begins, is 2.765', ({
    expect,
  }) => {
    // 4 (2^(1/8) − 1) = 0.36203, and 2 · (4 · 0.36203 − 0.36203²/2) = 2.76518
    expect(ageBucketFromS(1)).toBeCloseTo(0.36203, 5)
    expect(exposureAfter(1, 2, 4).exposureS[0]).toBeCloseTo(2.76518, 4)
  })

  it('are 32 below 4 s and 16 from 4 to 8 s in the second', ({ expect }) => {
    const { exposureS } = exposureAfter(2, 2, 4)
    expect(between(exposureS, 0, 8)).toBeCloseTo(32, 9)
    expect(between(exposureS, 8, 88)).toBeCloseTo(16, 9)
  })

  it('are 8 for each second of age once all ages are there: 32, 64, 128 and 256 below 60 s', ({
    expect,
  }) => {
    const { exposureS } = exposureAfter(30, 2, 4)
    const octaves = [0, 8, 16, 24].map((from) => between(exposureS, from, from + 8))
    for (const [i, seconds] of [32, 64, 128, 256].entries()) {
      expect(octaves[i]).toBeCloseTo(seconds, 6)
    }
  })
})

describe('session-seconds in ticks of any length', () => {
  const anyTicks = fc.array(
    fc.record({
      seconds: fc.oneof(
        fc.double({ min: 0.001, max: 30, noNaN: true }),
        fc.constantFrom(1 / 3, 0.1, 7.7, 1.0000001),
      ),
      sessions: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e4, noNaN: true })),
    }),
    { minLength: 1, maxLength: 60 },
  )

  it('are never negative, and add up to sessions × seconds: half a tick for who is new', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyTicks, (ticks) => {
        let demand: Demand = NO_DEMAND
        let there = 0
        for (const { seconds, sessions } of ticks) {
          const seen = observeDemand(demand, { seconds, sessions, ages: [] })
          demand = seen.demand
          expect(Math.min(...seen.exposureS)).toBeGreaterThanOrEqual(0)
          const sum = (there + sessions / 2) * seconds
          expect(Math.abs(total(seen.exposureS) - sum)).toBeLessThanOrEqual(1e-6 * sum)
          expect(isDemand(demand)).toBe(true)
          there += sessions
        }
      }),
    )
  })

  it('keep every admission, in a few dozen slots that are a twelfth of their age wide at the most', ({
    expect,
  }) => {
    const { admissions } = exposureAfter(3600, 2, 1).demand
    const widths = admissions.filter((_, i) => i % 2 === 0)
    const sessions = admissions.filter((_, i) => i % 2 === 1)
    expect(total(widths)).toBeCloseTo(3600, 6)
    expect(total(sessions)).toBeCloseTo(7200, 6)
    // A slot that widens by 1/12 from 12 s on: 12 + ln(3600/12)/ln(13/12) = 83 if all were as wide as they may be.
    expect(widths.length).toBeLessThan(2 * 83)
    let youngestS = 0
    for (const width of widths) {
      expect(width).toBeLessThanOrEqual(Math.max(1, youngestS / 12))
      youngestS += width
    }
  })

  it('are forgotten beyond the last age bucket, 4 (2^11 − 1) = 8188 s: no more than a slot is kept', ({
    expect,
  }) => {
    const { admissions } = exposureAfter(1000, 1, 10).demand
    const widths = admissions.filter((_, i) => i % 2 === 0)
    expect(total(widths)).toBeGreaterThan(8188)
    expect(total(widths)).toBeLessThan(8188 * (1 + 1 / 12) + 10)
  })
})

describe('what a bucket remembers', () => {
  it('forgets requests and session-seconds alike: 5000 requests in 10,000 s stay 0.5/s', ({
    expect,
  }) => {
    // A tick of 0.36 s: all of its session-seconds are in bucket 0.
    const seconds = ageBucketFromS(1)
    const sessions = (2 * 10_000) / seconds
    const { demand } = observeDemand(NO_DEMAND, { seconds, sessions, ages: [0, 5000] })
    // Evidence is requests and expected requests, 5000 + 5000; it is kept down to 2000.
    expect(demand.requests).toEqual([1000])
    expect(demand.exposureS[0]).toBeCloseTo(2000, 6)
  })
})

describe('sessions that go away: abandoned sessions ask for nothing more', () => {
  const rates = Array.from({ length: 88 }, (_, bucket) => (bucket < 16 ? 0.1 : 0.3))
  const demand: Demand = { admissions: [10, 20, 10, 20], requests: [], exposureS: [] }

  it('leave slots in proportion to what they ask for: 4 of 0.1 · 20 and 0.3 · 20 are 1 and 3', ({
    expect,
  }) => {
    expect(withoutSessions(demand, rates, 4).admissions).toEqual([10, 19, 10, 17])
  })

  it('never leave fewer than none: 100 of 40', ({ expect }) => {
    expect(withoutSessions(demand, rates, 100).admissions).toEqual([10, 0, 10, 0])
  })

  it('leave nothing where nobody asks', ({ expect }) => {
    expect(withoutSessions(NO_DEMAND, rates, 4)).toBe(NO_DEMAND)
  })
})

const sessionsIn = (admissions: readonly number[]): number =>
  admissions.reduce((sum, value, i) => (i % 2 === 1 ? sum + value : sum), 0)

/** Ten sessions a second for a minute. */
function minute() {
  let demand = NO_DEMAND
  for (let i = 0; i < 60; i++)
    demand = observeDemand(demand, { seconds: 1, sessions: 10, ages: [] }).demand
  return demand
}

describe('sessions that the origin has ended', () => {
  it('leave the forecast, those of their age first', ({ expect }) => {
    const before = minute()
    const after = withoutEnded(before, [ageBucketOf(30_000), 5])
    expect(sessionsIn(after.admissions)).toBeCloseTo(sessionsIn(before.admissions) - 5)
    let ageS = 0
    for (let i = 0; i < before.admissions.length; i += 2) {
      const isOfThatAge = ageS <= 31 && ageS + before.admissions[i]! >= 28
      if (!isOfThatAge)
        expect(after.admissions[i + 1], `at ${ageS} s`).toBe(before.admissions[i + 1])
      ageS += before.admissions[i]!
    }
  })

  it('never leave fewer than none, and never make more', ({ expect }) => {
    fc.assert(
      fc.property(fc.nat({ max: 87 }), fc.nat({ max: 2000 }), (bucket, count) => {
        const before = minute()
        const { admissions } = withoutEnded(before, [bucket, count])
        expect(admissions.every((value) => value >= 0)).toBe(true)
        const left = Math.max(0, sessionsIn(before.admissions) - count)
        expect(sessionsIn(admissions)).toBeCloseTo(left)
      }),
    )
  })
})
