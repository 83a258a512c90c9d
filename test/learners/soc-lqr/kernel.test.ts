import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Demand, NO_DEMAND, observeDemand } from '../../../src/learners/soc-lqr/demand.ts'
import { forecast, requestCurve } from '../../../src/learners/soc-lqr/forecast.ts'
import { type Kernel, kernelOf, requestsOf } from '../../../src/learners/soc-lqr/kernel.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'

/** What the product believes before anything is seen. */
const PRIOR = {
  perSession: SOC_LQR_OPTIONS.sessionRequests.default,
  meanAgeS: SOC_LQR_OPTIONS.sessionAgeMs.default / 1000,
}

/** Requests that a session makes before an age. */
type Profile = (ageS: number) => number

/** M requests, evenly until the age T. */
const even =
  (requests: number, untilS: number): Profile =>
  (ageS) =>
    (requests * Math.min(ageS, untilS)) / untilS

/** M requests at a rate that falls by e in D seconds: their mean age is D. */
const falling =
  (requests: number, meanS: number): Profile =>
  (ageS) =>
    requests * (1 - Math.exp(-ageS / meanS))

/**
 * Two sessions a second in ticks of 5 s, each of which asks as the profile says. A second of age holds 10
 * session-seconds of each tick, up to the age of the route.
 */
function watched(profile: Profile, seconds: number): Demand {
  let demand = NO_DEMAND
  for (let atS = 5; atS <= seconds; atS += 5) {
    const ages: number[] = []
    for (let bucket = 0; bucket < AGE_BUCKETS; bucket++) {
      const fromS = Math.min(atS, ageBucketFromS(bucket))
      const toS = Math.min(atS, ageBucketFromS(bucket + 1))
      ages.push(bucket, 10 * (profile(toS) - profile(fromS)))
    }
    demand = observeDemand(demand, { seconds: 5, sessions: 10, ages }).demand
  }
  return demand
}

describe('requests per session, M, and their mean age, D, from what was seen', () => {
  it('are what is believed before anything is seen: h = M/D e^(−age/D), and no more than M of them', ({
    expect,
  }) => {
    const prior = fc.record({
      perSession: fc.double({ min: 1, max: 100, noNaN: true }),
      meanAgeS: fc.double({ min: 5, max: 600, noNaN: true }),
    })
    fc.assert(
      fc.property(prior, (believed) => {
        const { rates, perSession, watched } = kernelOf(NO_DEMAND, believed)
        const { perSession: most, meanAgeS } = believed
        const middleS = (ageBucketFromS(0) + ageBucketFromS(1)) / 2
        const first = (most / meanAgeS) * Math.exp(-middleS / meanAgeS)
        expect(rates[0]! / first).toBeCloseTo(1, 9)
        // The more a session has made already, the less it is believed to make more than that.
        for (const [bucket, rate] of rates.entries())
          expect(rate).toBeLessThanOrEqual(rates[bucket - 1] ?? Number.POSITIVE_INFINITY)
        expect(perSession).toBeLessThanOrEqual(most)
        expect(watched).toBe(0)
      }),
    )
  })

  it.for([10, 60])(
    'are found for sessions that make 3 in a minute: M = 3, D = 30 s, to 3 %% after %i minutes',
    (minutes, { expect }) => {
      const { perSession, meanAgeS } = kernelOf(watched(even(3, 60), 60 * minutes), PRIOR)
      expect(Math.abs(perSession / 3 - 1)).toBeLessThan(0.03)
      expect(Math.abs(meanAgeS / 30 - 1)).toBeLessThan(0.03)
    },
  )

  it('are found for sessions that make 30 and stay: M = 30, D = 200 s, to 3 % after an hour', ({
    expect,
  }) => {
    const kernel = kernelOf(watched(falling(30, 200), 3600), PRIOR)
    expect(Math.abs(kernel.perSession / 30 - 1)).toBeLessThan(0.03)
    expect(Math.abs(kernel.meanAgeS / 200 - 1)).toBeLessThan(0.03)
    expect(kernel.watched).toBeGreaterThan(0.99)
  })

  it('are found for sessions of 2 requests within 2 s: watched for 30 s, nobody believes in more', ({
    expect,
  }) => {
    const { perSession, meanAgeS } = kernelOf(watched(even(2, 2), 60), PRIOR)
    expect(Math.abs(perSession / 2 - 1)).toBeLessThan(0.1)
    expect(meanAgeS).toBeLessThan(3)
  })

  it('give the rate at each age: 0.05/s below a minute and nothing after it', ({ expect }) => {
    const { rates } = kernelOf(watched(even(3, 60), 600), PRIOR)
    for (const rate of rates.slice(4, 32)) expect(Math.abs(rate / 0.05 - 1)).toBeLessThan(0.05)
    for (const rate of rates.slice(34, 40)) expect(rate).toBeLessThan(0.0025)
  })

  it('are extended beyond what was watched as the rate fell: M = 10 to 20 % after 2 D, to 10 % after 4 D', ({
    expect,
  }) => {
    const slow = { perSession: 10, meanAgeS: 600 }
    const after = (seconds: number) => kernelOf(watched(falling(10, 60), seconds), slow)
    expect(Math.abs(after(120).perSession / 10 - 1)).toBeLessThan(0.2)
    expect(Math.abs(after(240).perSession / 10 - 1)).toBeLessThan(0.1)
    // 1 − e^(−2) = 0.86 and 1 − e^(−4) = 0.98 of them are made by then.
    expect(Math.abs(after(240).watched - 0.98)).toBeLessThan(0.05)
  })
})

/** 0.1 requests a second up to a minute: M = 6, D = 30 s. */
const MINUTE: Kernel = {
  rates: Array.from({ length: AGE_BUCKETS }, (_, bucket) => (bucket < 32 ? 0.1 : 0)),
  perSession: 6,
  meanAgeS: 30,
  watched: 1,
  settled: true,
}

const CURVE = requestCurve(MINUTE.rates)

describe('what admitted sessions are still going to ask for', () => {
  it('is Σ A_j h_(j+τ): 20 sessions of 5 s ask 2/s now and in 50 s, and nothing in 60 s', ({
    expect,
  }) => {
    const demand: Demand = { ...NO_DEMAND, admissions: [10, 20] }
    const ahead = [0, 50, 60].map((seconds) => forecast(demand, CURVE, seconds))
    expect(ahead[0]).toBeCloseTo(2, 12)
    expect(ahead[1]).toBeCloseTo(2, 12)
    expect(ahead[2]).toBeCloseTo(0, 12)
  })

  it('adds up over slots: 20 of 5 s, none of 15 s and 40 of 25 s ask 6/s now, in 40 s 2/s', ({
    expect,
  }) => {
    const demand: Demand = { ...NO_DEMAND, admissions: [10, 20, 10, 0, 10, 40] }
    expect(forecast(demand, CURVE, 0)).toBeCloseTo(6, 12)
    expect(forecast(demand, CURVE, 40)).toBeCloseTo(2, 12)
  })

  it('settles at λ M = 2 · 6 = 12/s when two a second are admitted for ever', ({ expect }) => {
    const demand = watched(even(6, 60), 300)
    expect(Math.abs(forecast(demand, CURVE, 0) / 12 - 1)).toBeLessThan(0.05)
  })

  it('is h × session-seconds for the tick that was: 30 at 2 s and 50 at 50 s are 8 requests', ({
    expect,
  }) => {
    const exposureS = new Array<number>(AGE_BUCKETS).fill(0)
    exposureS[4] = 30
    exposureS[30] = 50
    exposureS[40] = 70
    expect(requestsOf(MINUTE, exposureS)).toBeCloseTo(8, 12)
  })
})
