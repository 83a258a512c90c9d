import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  addToTiers,
  isTier,
  learnedService,
  restarted,
  slowService,
  type Tier,
  tierTimes,
  timesOf,
} from '../../../src/learners/soc-lqr/tiers.ts'
import { histogramOf } from '../../support/histogram.ts'
import { interval, SAMPLE, TIER } from '../../support/plant-s-tier.ts'
import { tierTick, times } from '../../support/samples.ts'

const TARGET_S = 5

describe('a tier against its target (W = T − P0)', () => {
  it('leaves for waiting what exponential service does not need: 5 − ln 20 = 2.004 s at S0 = 1 s', ({
    expect,
  }) => {
    const { meanS, slackS, targetS } = tierTimes(TIER, SAMPLE)
    expect([meanS, targetS]).toEqual([1, 5])
    expect(slackS).toBeCloseTo(5 - Math.log(20), 9)
  })

  it('takes another percentile at its word: p80 leaves 5 − ln 5 = 3.39 s', ({ expect }) => {
    const { slackS } = tierTimes(TIER, { ...SAMPLE, percentile: 80 })
    expect(slackS).toBeCloseTo(5 - Math.log(5), 9)
  })

  it('takes the tail that was seen instead, once there is one', ({ expect }) => {
    const tier = { ...TIER, shape: histogramOf(times(100, 1000)) }
    expect(tierTimes(tier, SAMPLE).slackS).toBeGreaterThan(5 - 1.1)
  })

  it('is judged by the nearest target that can be kept where its own is out of reach', ({
    expect,
  }) => {
    const { meanS, slackS, targetS } = tierTimes({ ...TIER, meanS: 4 }, SAMPLE)
    expect([meanS, slackS]).toEqual([4, 4])
    expect(targetS).toBeCloseTo(4 * Math.log(20) + 4, 9)
  })

  it('always has some slack, less than its target, and rises with it', ({ expect }) => {
    const seconds = fc.double({ min: 0.001, max: 100, noNaN: true })
    fc.assert(
      fc.property(seconds, seconds, fc.boolean(), (meanS, targetS, isKnown) => {
        const sample = (s: number) => ({ ...SAMPLE, targetMs: 1000 * s })
        const tier = { ...TIER, meanS, seen: isKnown ? 100 : 0 }
        const one = tierTimes(tier, sample(targetS))
        expect(one.slackS).toBeGreaterThan(0)
        expect(one.slackS).toBeLessThan(one.targetS)
      }),
    )
  })

  it('is supposed to serve well within its target before anything is known', ({ expect }) => {
    const { meanS, slackS } = tierTimes({ ...TIER, seen: 0 }, SAMPLE)
    expect(meanS + slackS).toBeLessThan(TARGET_S)
    expect(meanS).toBeGreaterThan(0)
  })
})

describe('the service time, S0', () => {
  /** After so many intervals of 100 requests of this mean. */
  function after(meanS: number, intervals: number, calm: boolean, tier: Tier = TIER): Tier {
    let so = tier
    for (let n = 0; n < intervals; n++) {
      const latency = histogramOf(times(100, 1000 * meanS))
      so = learnedService({ ...so, ...interval(meanS, 0), ...learned(so), latency }, TARGET_S, calm)
    }
    return so
  }
  const learned = ({ meanS, shape, seen }: Tier) => ({ meanS, shape, seen })

  it('falls readily, queue or not: most of a difference within ten intervals', ({ expect }) => {
    for (const calm of [true, false]) {
      const { meanS } = after(0.7, 10, calm)
      expect(meanS).toBeLessThan(0.8)
      expect(meanS).toBeGreaterThanOrEqual(0.7)
    }
  })

  it('does not rise under load: a queue must not pass for slow service', ({ expect }) => {
    expect(after(3, 100, false).meanS).toBe(1)
  })

  it('rises in calm, more slowly than it falls', ({ expect }) => {
    const up = after(1.3, 1, true).meanS - 1
    const down = 1 - after(0.7, 1, true).meanS
    expect(up).toBeGreaterThan(0)
    expect(up).toBeLessThan(down)
    expect(after(1.3, 500, true).meanS).toBeCloseTo(1.3, 3)
  })

  it('is taken at once where responses take less than half of what was believed', ({ expect }) => {
    const { meanS, shape } = after(0.4, 1, false)
    expect(meanS).toBeCloseTo(0.4, 9)
    // The distribution is what was seen, and nothing of the queue.
    expect(tierTimes({ ...TIER, meanS, shape }, SAMPLE).slackS).toBeGreaterThan(5 - 0.5)
  })

  it('is the first mean where nothing is known, and the mean of the first intervals then', ({
    expect,
  }) => {
    const unknown = { ...TIER, meanS: 0, seen: 0 }
    const first = after(1, 1, true, unknown)
    expect(first.meanS).toBeCloseTo(1, 9)
    expect(after(1.5, 1, true, first).meanS).toBeCloseTo(1.25, 9)
  })

  it('is not believed to miss the target unless that is proven', ({ expect }) => {
    const unknown = { ...TIER, meanS: 0, seen: 0 }
    expect(after(50, 100, true, unknown).meanS).toBeLessThan(TARGET_S)
    // The tail of what is not believed is not believed either: it may be a queue's.
    const { ownSpent } = timesOf([after(50, 100, true, unknown)], [SAMPLE])
    expect(ownSpent).toBe(0)
    const latency = histogramOf(times(100, 50_000))
    const proven = slowService({ ...TIER, ...interval(50, 100), latency })
    expect(proven.meanS).toBeCloseTo(50, 9)
  })

  it('is not learned from failures: they have no response time', ({ expect }) => {
    const failed = { ...TIER, completed: 40, late: 40 }
    expect(learnedService(failed, TARGET_S, true)).toBe(failed)
    expect(slowService(failed)).toBe(failed)
  })

  it('lies between what was known and what was seen, whatever comes', ({ expect }) => {
    const mean = fc.double({ min: 0.01, max: 3.9, noNaN: true })
    fc.assert(
      fc.property(fc.array(fc.tuple(mean, fc.boolean()), { maxLength: 20 }), (all) => {
        let tier: Tier = TIER
        for (const [meanS, calm] of all) {
          const before = tier.meanS
          tier = after(meanS, 1, calm, tier)
          expect(tier.meanS).toBeGreaterThanOrEqual(Math.min(before, meanS) - 1e-9)
          expect(tier.meanS).toBeLessThanOrEqual(Math.max(before, meanS) + 1e-9)
          expect(isTier(tier)).toBe(true)
        }
      }),
    )
  })
})

describe('several tiers', () => {
  const page = tierTick({ name: 'page', timesMs: times(300, 100) })
  const search = tierTick({ name: 'search', timesMs: times(100, 100) })

  it('learn their shares of the completions from many ticks, and no single one decides', ({
    expect,
  }) => {
    let tiers = addToTiers([], [page, search])
    expect(tiers[1]!.share).toBeGreaterThan(0.4)
    for (let n = 0; n < 200; n++) tiers = addToTiers(tiers, [page, search])
    expect(tiers.map(({ share }) => share)).toEqual([
      expect.closeTo(0.75, 3),
      expect.closeTo(0.25, 3),
    ])
  })

  it('add up what the interval had, and begin anew with what they learned', ({ expect }) => {
    const twice = addToTiers(addToTiers([], [page, search]), [page, search])
    expect(twice[0]).toMatchObject({ completed: 600, served: 600, late: 0 })
    expect(twice[0]!.latencyS).toBeCloseTo(60, 6)
    const anew = restarted({ ...twice[0]!, meanS: 0.1, seen: 7 })
    expect(anew).toMatchObject({ completed: 0, served: 0, latencyS: 0, meanS: 0.1, seen: 7 })
  })

  it('forget a tier that the configuration no longer has', ({ expect }) => {
    const tiers = addToTiers(addToTiers([], [page, search]), [search])
    expect(tiers.map(({ name }) => name)).toEqual(['search'])
  })

  it('have the mean service of all requests, and the slack of the one that has least', ({
    expect,
  }) => {
    const tiers: Tier[] = [
      { ...TIER, name: 'page', share: 0.5, meanS: 1 },
      { ...TIER, name: 'search', share: 0.5, meanS: 0.5 },
    ]
    const samples = [SAMPLE, { ...SAMPLE, targetMs: 2000 }]
    const all = timesOf(tiers, samples)
    expect(all.meanS).toBeCloseTo(0.75, 9)
    expect(all.targetS).toBe(2)
    for (const [i, tier] of tiers.entries())
      expect(all.slackS).toBeLessThanOrEqual(tierTimes(tier, samples[i]!).slackS)
  })

  it('know how service varies: not at all if constant, by 1 where nothing is known', ({
    expect,
  }) => {
    expect(timesOf([TIER], [SAMPLE]).variation).toBe(1)
    const constant = { ...TIER, shape: histogramOf(times(100, 1000)) }
    expect(timesOf([constant], [SAMPLE]).variation).toBeLessThan(0.01)
    // Half 0.1 s and half 1.9 s: a deviation of 0.9 of the mean.
    const mixed = { ...TIER, shape: histogramOf([...times(50, 100), ...times(50, 1900)]) }
    expect(timesOf([mixed], [SAMPLE]).variation).toBeCloseTo(0.81, 1)
  })

  it('know what service alone spends of the allowance', ({ expect }) => {
    const parts = (late: number) => [
      histogramOf([1000])[0]!,
      1 - late,
      histogramOf([9000])[0]!,
      late,
    ]
    const spent = (late: number) => timesOf([{ ...TIER, shape: parts(late) }], [SAMPLE]).ownSpent
    expect(spent(0)).toBe(0)
    expect(spent(0.05)).toBeCloseTo(1, 9)
    expect(spent(0.1)).toBeCloseTo(2, 9)
  })
})
