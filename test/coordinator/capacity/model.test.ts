import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  meanTargetMs,
  partsOf,
  variabilityOf,
} from '../../../src/coordinator/capacity/mean-target.ts'
import {
  boundedRate,
  serverRate,
  variabilityPerServer,
  withConcurrency,
} from '../../../src/coordinator/capacity/server-rate.ts'
import { sizeTiers, type TierCapacity } from '../../../src/coordinator/capacity/size-tiers.ts'
import { histogramOf } from '../../support/histogram.ts'

/** Tables I and II. The papers' variances are in ms². */
const RUBIS = [
  { name: 'apache', d: 80, s: 20, a: 848, b: 0, max: Number.POSITIVE_INFINITY },
  { name: 'tomcat', d: 400, s: 294, a: 2304, b: 3428, max: Number.POSITIVE_INFINITY },
  { name: 'mysql', d: 320, s: 254, a: 1876, b: 4024, max: 1 },
]
const RUBBOS = [
  { name: 'apache', d: 80, s: 20, a: 656, b: 0, max: Number.POSITIVE_INFINITY },
  { name: 'tomcat', d: 400, s: 320, a: 2018, b: 4324, max: Number.POSITIVE_INFINITY },
  { name: 'mysql', d: 320, s: 278, a: 1486, b: 2564, max: 1 },
]
const rateOf = ({ d, s, a, b }: (typeof RUBIS)[number]): number =>
  boundedRate({ responseMs: d, serviceMs: s }, { arrivalMs2: a, serviceMs2: b })!
const tiersOf = (table: typeof RUBIS): readonly TierCapacity[] =>
  table.map((row) => ({ name: row.name, rate: rateOf(row), visits: 1, min: 1, max: row.max }))

describe('the rate of one server (Urgaonkar et al. 2008, eq. 1)', () => {
  it('is 36.9, 3.12 and 3.35 requests/s for the tiers of Rubis (Table I)', ({ expect }) => {
    // Apache: 20 + 848 / (2 · 60) = 27.067 ms. Tomcat: 294 + 5732 / (2 · 106) = 321.04 ms.
    // MySQL: 254 + 5900 / (2 · 66) = 298.70 ms.
    const rates = RUBIS.map(rateOf)
    expect(rates[0]).toBeCloseTo(1000 / 27.0667, 2)
    expect(rates[1]).toBeCloseTo(1000 / 321.038, 3)
    expect(rates[2]).toBeCloseTo(1000 / 298.697, 3)
    // At these rates the servers are busy 74, 92 and 85 % of the time.
    const busy = RUBIS.map((row, i) => (rates[i]! * row.s) / 1000)
    expect(busy.map((part) => part.toFixed(2))).toEqual(['0.74', '0.92', '0.85'])
  })

  it('is 39.3, 2.78 and 3.06 requests/s for the tiers of Rubbos (Table II)', ({ expect }) => {
    // Apache: 20 + 656 / 120 = 25.467 ms. Tomcat: 320 + 6342 / 160 = 359.64 ms. MySQL: 278 + 4050 / 84 = 326.21 ms.
    const rates = RUBBOS.map(rateOf)
    expect(rates.map((rate) => rate.toFixed(2))).toEqual(['39.27', '2.78', '3.07'])
    const busy = RUBBOS.map((row, i) => (rates[i]! * row.s) / 1000)
    expect(busy.map((part) => part.toFixed(2))).toEqual(['0.79', '0.89', '0.85'])
  })

  it('does not exist where the service alone takes as long as the target', ({ expect }) => {
    const none = { arrivals: 1, service: 1 }
    expect(serverRate({ responseMs: 100, serviceMs: 100 }, none)).toBeNull()
    expect(
      boundedRate({ responseMs: 99, serviceMs: 100 }, { arrivalMs2: 0, serviceMs2: 0 }),
    ).toBeNull()
  })

  it('is exact for Poisson arrivals: an M/M/1 queue with s = 100 ms has R = 400 ms at 7.5/s', ({
    expect,
  }) => {
    // R = s / (1 − ρ), so ρ = 1 − 100 / 400.
    const rate = serverRate({ responseMs: 400, serviceMs: 100 }, { arrivals: 1, service: 1 })
    expect(rate).toBeCloseTo(7.5, 10)
    // M/D/1 waits half as long: W = ρ s / (2 (1 − ρ)) = 300 at ρ = 6/7.
    const constant = serverRate({ responseMs: 400, serviceMs: 100 }, { arrivals: 1, service: 0 })
    expect(constant).toBeCloseTo(60 / 7, 10)
  })

  it('grows with the workers of a server, and never beyond what they can do', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1000, noNaN: true }),
        fc.double({ min: 1.01, max: 50, noNaN: true }),
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.integer({ min: 1, max: 64 }),
        (serviceMs, slack, variability, workers) => {
          const times = { responseMs: serviceMs * slack, serviceMs }
          const both = { arrivals: variability, service: variability }
          const one = serverRate(times, both, 1)!
          const many = serverRate(times, both, workers)!
          expect(many).toBeGreaterThanOrEqual(one * (1 - 1e-9))
          expect(many).toBeLessThanOrEqual((1000 * workers) / serviceMs + 1e-9)
        },
      ),
    )
  })

  it('is bounded by a concurrency limit, by Little’s law', ({ expect }) => {
    // 256 requests of 80 ms each are 3200/s, so the limit of Apache is no limit in requests (Table I).
    expect(withConcurrency(36.9, 80, { limit: 256, of: 'requests' }, 0.2)).toBe(36.9)
    // As sessions that ask every 5 s they are 51.2/s (Fig. 8: connections stay open).
    expect(withConcurrency(100, 80, { limit: 256, of: 'sessions' }, 0.2)).toBeCloseTo(51.2)
    expect(withConcurrency(100, 80, { limit: 4, of: 'requests' }, 0.2)).toBe(50)
  })

  it('takes arrivals nearer to Poisson when they are split over many servers', ({ expect }) => {
    expect(variabilityPerServer(5, 1)).toBe(5)
    expect(variabilityPerServer(5, 4)).toBe(2)
    expect(variabilityPerServer(0, 2)).toBe(0.5)
  })
})

describe('the servers of all tiers (eq. 2)', () => {
  it('for 1 session/s at Rubis with a session of 15 min and Z = 5 s (Table III): 5, 58 and 1 of 54', ({
    expect,
  }) => {
    // 180 requests per session: 180 / 36.95 = 4.9, 180 / 3.115 = 57.8, 180 / 3.348 = 53.8.
    const sizing = sizeTiers(1, (15 * 60) / 5, tiersOf(RUBIS))
    expect(sizing.tiers.map(({ needed }) => needed)).toEqual([5, 58, 54])
    expect(sizing.tiers.map(({ servers }) => servers)).toEqual([5, 58, 1])
    expect(sizing.limitedBy).toBe('mysql')
    expect(sizing.carries).toBeCloseTo(3.348 / 180, 4)
  })

  it('for 0.5 sessions/s at Rubbos with a session of 5 min (Table III): 1, 11 and 1 of 10', ({
    expect,
  }) => {
    // 60 requests per session, 30/s: 30 / 39.27 = 0.76, 30 / 2.78 = 10.8, 30 / 3.066 = 9.8.
    const sizing = sizeTiers(0.5, (5 * 60) / 5, tiersOf(RUBBOS))
    expect(sizing.tiers.map(({ needed }) => needed)).toEqual([1, 11, 10])
    expect(sizing.limitedBy).toBe('mysql')
  })

  /** 15, 10 and 10.5 requests/s for each server, and 14 requests/s come in. */
  const example = (lastMax: number): readonly TierCapacity[] => [
    { name: 'first', rate: 15, visits: 1, min: 1, max: 9 },
    { name: 'second', rate: 10, visits: 1, min: 1, max: 9 },
    { name: 'third', rate: 10.5, visits: 1, min: 1, max: lastMax },
  ]

  it('grow together in one step, so that no bottleneck moves to the next tier (Example 1)', ({
    expect,
  }) => {
    const sizing = sizeTiers(14, 1, example(9))
    expect(sizing.tiers.map(({ servers }) => servers)).toEqual([1, 2, 2])
    expect(sizing.limitedBy).toBeNull()
    expect(sizing.carries).toBe(15)
  })

  it('do not grow where the last tier cannot: the gate holds its 10.5 requests/s (Example 2)', ({
    expect,
  }) => {
    const sizing = sizeTiers(14, 1, example(1))
    expect(sizing.tiers.map(({ servers }) => servers)).toEqual([1, 2, 1])
    expect(sizing.limitedBy).toBe('third')
    expect(sizing.carries).toBe(10.5)
  })

  const anyTier = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    rate: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    visits: fc.double({ min: 0, max: 10, noNaN: true }),
    min: fc.integer({ min: 1, max: 5 }),
    max: fc.integer({ min: 5, max: 50 }),
  })
  const anyRate = fc.double({ min: 0, max: 500, noNaN: true })

  it('are never fewer for more load, never more than M_i, never fewer than the minimum', ({
    expect,
  }) => {
    fc.assert(
      fc.property(
        fc.array(anyTier, { minLength: 1, maxLength: 4 }),
        anyRate,
        anyRate,
        (tiers, a, b) => {
          const less = sizeTiers(Math.min(a, b), 10, tiers)
          const more = sizeTiers(Math.max(a, b), 10, tiers)
          for (const [i, { servers }] of more.tiers.entries()) {
            expect(servers).toBeGreaterThanOrEqual(less.tiers[i]!.servers)
            expect(servers).toBeLessThanOrEqual(tiers[i]!.max)
            expect(servers).toBeGreaterThanOrEqual(tiers[i]!.min)
          }
        },
      ),
    )
  })

  it('carry the load, or say which tier does not', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(anyTier, { minLength: 1, maxLength: 4 }), anyRate, (tiers, rate) => {
        const { carries, limitedBy } = sizeTiers(rate, 10, tiers)
        expect(limitedBy === null).toBe(carries >= rate * (1 - 1e-6))
      }),
    )
  })
})

describe('the mean target (§8.1)', () => {
  it('is 668 ms for a 95th percentile of 2 s, if nothing is measured', ({ expect }) => {
    expect(meanTargetMs(2000, 95, [])).toBeCloseTo(2000 / Math.log(20), 6)
  })

  it('follows the measured distribution: half of the target, if the mean is half of the percentile', ({
    expect,
  }) => {
    const times = Array.from({ length: 1000 }, (_, i) => i + 1)
    // Uniform up to 1 s: the mean is 500 ms, the 95th percentile 950 ms.
    expect(meanTargetMs(2000, 95, histogramOf(times))).toBeCloseTo((2000 * 500) / 950, -1.5)
  })

  it('is shared out by the set parts and the measured times', ({ expect }) => {
    expect(
      partsOf([
        { part: 0.1, timeMs: 1 },
        { part: null, timeMs: 50 },
        { part: null, timeMs: 40 },
      ]),
    ).toEqual([0.1, 0.5, 0.4])
    expect(
      partsOf([
        { part: null, timeMs: 0 },
        { part: null, timeMs: 0 },
      ]),
    ).toEqual([0.5, 0.5])
  })

  it('needs the variability: 1 for exponential times, 0 for constant ones', ({ expect }) => {
    const n = 20_000
    const exponential = Array.from({ length: n }, (_, i) => -100 * Math.log(1 - (i + 0.5) / n))
    expect(variabilityOf(histogramOf(exponential))).toBeCloseTo(1, 1)
    expect(variabilityOf(histogramOf(new Array(100).fill(80)))).toBeCloseTo(0, 5)
  })
})
