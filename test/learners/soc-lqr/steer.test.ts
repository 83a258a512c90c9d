import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Demand, NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import { requestCurve } from '../../../src/learners/soc-lqr/forecast.ts'
import { USUAL_GAIN } from '../../../src/learners/soc-lqr/gain.ts'
import type { Kernel } from '../../../src/learners/soc-lqr/kernel.ts'
import { type Course, payingRate, sessionRate } from '../../../src/learners/soc-lqr/steer.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'

/** 0.1 requests a second up to a minute: M = 6, D = 30 s. */
const MINUTE: Kernel = {
  rates: Array.from({ length: AGE_BUCKETS }, (_, bucket) => (bucket < 32 ? 0.1 : 0)),
  perSession: 6,
  meanAgeS: 30,
  watched: 1,
}

/** L = 12/s, so that λ* = L/M = 2 sessions a second. */
const COURSE: Course = { load: 12, bias: 1, excessWait: 0, gain: USUAL_GAIN }
const gentle = { ...USUAL_GAIN, load: 1 }

/** Sessions admitted each second of the last minutes. */
const admitted = (perSecond: number, seconds: number): Demand => ({
  ...NO_DEMAND,
  admissions: Array.from({ length: seconds }, () => [1, perSecond]).flat(),
})

describe('the session rate from the load limit', () => {
  it('is λ* = 2/s where two a second were admitted for long: nothing is missing', ({ expect }) => {
    expect(Math.abs(sessionRate(admitted(2, 200), MINUTE, COURSE) / 2 - 1)).toBeLessThan(0.05)
  })

  it('fills an empty origin: x = (L/h)(1 − T/2·60) over T = 49.8 s, so λ = 2 (3 − T/60) at kν = 1', ({
    expect,
  }) => {
    // slack(τ) = 12 (1 − τ/60), fitted by h = 0.1 up to the age T at which 0.8 of the requests are made, where
    // ages are taken three buckets at a time: x/(λ* D) = 2 (1 − T/120).
    const untilS = ageBucketFromS(30)
    const rate = sessionRate(NO_DEMAND, MINUTE, { ...COURSE, gain: gentle })
    expect(rate).toBeCloseTo(2 * (3 - untilS / 60), 6)
  })

  it('is 4 λ* = 8/s at the most: with kν = 5.98 an empty origin asks for 16', ({ expect }) => {
    expect(sessionRate(NO_DEMAND, MINUTE, COURSE)).toBe(8)
  })

  it('counts what admitted sessions are still going to ask: a minute of twice λ* leaves 0.02 λ*', ({
    expect,
  }) => {
    expect(sessionRate(admitted(4, 60), MINUTE, COURSE)).toBeCloseTo(0.04, 12)
  })

  it('forgets sessions that are done: those of a minute ago and more change nothing', ({
    expect,
  }) => {
    const old: Demand = { ...NO_DEMAND, admissions: [70, 0, 10, 500] }
    const course = { ...COURSE, gain: gentle }
    expect(sessionRate(old, MINUTE, course)).toBe(sessionRate(NO_DEMAND, MINUTE, course))
  })

  it('makes up for a wait: a slack of waiting, ω = 1, takes kω = 0.308 of λ*', ({ expect }) => {
    const course = { ...COURSE, gain: { ...gentle, wait: 0.308 } }
    const calm = sessionRate(admitted(2, 200), MINUTE, course)
    const waiting = sessionRate(admitted(2, 200), MINUTE, { ...course, excessWait: 1 })
    expect(calm - waiting).toBeCloseTo(2 * 0.308, 9)
  })

  it('admits less when sessions ask for more than was foreseen', ({ expect }) => {
    const course = { ...COURSE, gain: gentle }
    const more = sessionRate(admitted(2, 200), MINUTE, { ...course, bias: 1.2 })
    expect(more).toBeLessThan(0.9 * sessionRate(admitted(2, 200), MINUTE, course))
  })
})

it('stays within 0.02 λ* and 4 λ* for any sessions, kernel and wait', ({ expect }) => {
  const amount = fc.double({ min: 0, max: 1e4, noNaN: true })
  const slots = fc.array(fc.tuple(fc.double({ min: 0.01, max: 600, noNaN: true }), amount), {
    maxLength: 30,
  })
  const rates = fc.array(fc.oneof(fc.constant(0), amount), {
    minLength: AGE_BUCKETS,
    maxLength: AGE_BUCKETS,
  })
  const ofLife = fc.record({
    perSession: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    meanAgeS: fc.double({ min: 0.1, max: 5000, noNaN: true }),
  })
  const course = fc.record({
    load: fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
    bias: fc.double({ min: 0.7, max: 1.4, noNaN: true }),
    excessWait: amount,
  })
  fc.assert(
    fc.property(slots, rates, ofLife, course, (admissions, h, life, given) => {
      const kernel = { ...MINUTE, ...life, rates: h }
      const demand = { ...NO_DEMAND, admissions: admissions.flat() }
      const part = sessionRate(demand, kernel, { ...COURSE, ...given }) / given.load
      expect(part * life.perSession).toBeGreaterThanOrEqual(0.02 * (1 - 1e-9))
      expect(part * life.perSession).toBeLessThanOrEqual(4 * (1 + 1e-9))
    }),
  )
})

describe('the session rate that pays a debt', () => {
  const curve = requestCurve(MINUTE.rates)
  const debt = { load: 12, bias: 1, requests: 0, withinS: 20, least: 0.04 }

  it('is λ* = 2/s where two a second were admitted for long and nothing waits', ({ expect }) => {
    expect(Math.abs(payingRate(admitted(2, 200), curve, debt) / 2 - 1)).toBeLessThan(0.05)
  })

  it('falls with the debt by 1/A(T): a session in each second of 20 s brings 0.1 · 20²/2 = 20 requests', ({
    expect,
  }) => {
    const without = payingRate(admitted(2, 200), curve, debt)
    const withDebt = payingRate(admitted(2, 200), curve, { ...debt, requests: 30 })
    expect(without - withDebt).toBeCloseTo(30 / 20, 6)
  })

  it('is the least that is allowed while those inside ask for more than there is room', ({
    expect,
  }) => {
    expect(payingRate(admitted(8, 200), curve, debt)).toBe(0.04)
  })
})
