import fc from 'fast-check'
import { describe, it } from 'vitest'
import { dailyCycle, flashCrowd, ramp, steps } from '../../../lab/clients/profiles.ts'
import { constantRate, type RateProfile } from '../../../lab/clients/rates.ts'

/** Arrivals due between two times, by the trapezoids of a fine grid. */
function area(profile: RateProfile, fromMs: number, toMs: number): number {
  const parts = 20_000
  const step = (toMs - fromMs) / parts
  let sum = 0
  for (let i = 0; i < parts; i++) sum += profile.rateAt(fromMs + (i + 0.5) * step) * step
  return sum / 1000
}

const PROFILES: Readonly<Record<string, RateProfile>> = {
  constant: constantRate(3),
  steps: steps({ 0: 1.5, 60: 15, 90: 0, 120: 2 }),
  'ramp up': ramp({ from: 1, to: 20, startMs: 30_000, endMs: 100_000 }),
  'ramp down': ramp({ from: 20, to: 1, startMs: 0, endMs: 100_000 }),
  'flash crowd': flashCrowd({
    base: 1,
    peak: 16,
    startMs: 20_000,
    doublingMs: 15_000,
    holdMs: 9000,
  }),
  day: dailyCycle({ mean: 5, swing: 0.8, peakMs: 60_000, days: 2, dayMs: 120_000 }),
}

describe('rate profiles', () => {
  for (const [name, profile] of Object.entries(PROFILES)) {
    it(`gives the time at which a number of arrivals is due, as the integral of the rate: ${name}`, ({
      expect,
    }) => {
      fc.assert(
        fc.property(
          fc.double({ min: 0, max: 100_000, noNaN: true }),
          fc.double({ min: 0.01, max: 50, noNaN: true }),
          (fromMs, arrivals) => {
            const atMs = profile.whenDue(fromMs, arrivals)
            // Steps fall between grid points: the tolerance is 1 %, or a fiftieth of an arrival.
            const error = Math.abs(area(profile, fromMs, atMs) - arrivals)
            expect(error).toBeLessThan(Math.max(0.02, 0.01 * arrivals))
          },
        ),
        { numRuns: 30 },
      )
    })
  }

  it('gives no arrival while the rate stays 0', ({ expect }) => {
    expect(steps({ 0: 1, 10: 0 }).whenDue(0, 10.5)).toBe(Number.POSITIVE_INFINITY)
  })

  it('doubles every k minutes: 1/s becomes 2, 4 and 8/s after 2, 4 and 6 minutes', ({ expect }) => {
    const profile = flashCrowd({
      base: 1,
      peak: 8,
      startMs: 60_000,
      doublingMs: 120_000,
      holdMs: 60_000,
      halvingMs: 240_000,
    })
    const minutes = [0, 1, 3, 5, 7, 7.9, 12, 20, 30]
    const rates = minutes.map((minute) => profile.rateAt(minute * 60_000))
    // Straight lines of ten seconds approximate the exponential within 0.1 %.
    const expected = [1, 1, 2, 4, 8, 8, 4, 1, 1]
    for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo(expected[i]!, 2)
  })

  it('is highest at the peak and lowest half a day later, with the given mean', ({ expect }) => {
    const profile = dailyCycle({ mean: 5, swing: 0.8, peakMs: 13 * 3_600_000, days: 1 })
    expect(profile.rateAt(13 * 3_600_000)).toBeCloseTo(9, 3)
    expect(profile.rateAt(3_600_000)).toBeCloseTo(1, 3)
    expect(area(profile, 0, 86_400_000) / 86_400).toBeCloseTo(5, 3)
  })

  it('rejects a profile without a rate at the start', ({ expect }) => {
    expect(() => steps({ 10: 1 })).toThrow(/must start at 0/)
  })
})
