import { describe, it } from 'vitest'
import { NO_BASELINE } from '../../../src/learners/soc-lqr/baseline.ts'
import { addToTiers, closeTier, standingOf } from '../../../src/learners/soc-lqr/tiers.ts'
import { histogramOf } from '../../support/histogram.ts'
import { interval, SAMPLE, TIER } from '../../support/plant-s-tier.ts'
import { tierTick, times } from '../../support/samples.ts'

const USUAL = { aim: 0.35, givenUp: 0, rate: 20 }

describe('a tier against its target (W = SLA − P0)', () => {
  it('has W = 5 − ln 20 = 2.004 s of slack at S0 = 1 s', ({ expect }) => {
    const { meanS, slackS, targetS } = standingOf(TIER, SAMPLE)
    expect([meanS, targetS]).toEqual([1, 5])
    expect(slackS).toBeCloseTo(2.0043, 4)
  })

  it('has a tenth of the target where service leaves less: S0 = 2.5 s leaves 0.5 s of 5 s', ({
    expect,
  }) => {
    const slow = { ...TIER, baseline: { ...TIER.baseline, meanS: 2.5 } }
    expect(standingOf(slow, SAMPLE).slackS).toBe(0.5)
  })

  it('is judged by the nearest target that can be kept where 5 s is proven to be out of reach', ({
    expect,
  }) => {
    // S0 = 4 s: without a queue 5 % take over 4 ln 20 = 11.98 s, and may wait as long as they are served.
    const slow = { ...TIER, baseline: { ...TIER.baseline, meanS: 4 } }
    const { meanS, slackS, targetS } = standingOf(slow, SAMPLE)
    expect([meanS, slackS]).toEqual([4, 4])
    expect(targetS).toBeCloseTo(15.983, 3)
    const late = { ...slow, completed: 100, served: 98, late: 60, latencyS: 400 }
    const latency = histogramOf([...times(95, 4000), ...times(3, 20_000)])
    // Two failures and three over 16 s: the allowance, although 60 were over the target.
    expect(closeTier({ ...late, latency }, SAMPLE, USUAL).spent).toBeCloseTo(1, 9)
  })

  it('takes another percentile at its word: p80 leaves 5 − ln 5 = 3.39 s', ({ expect }) => {
    expect(standingOf(TIER, { ...SAMPLE, percentile: 80 }).slackS).toBeCloseTo(3.3906, 4)
  })

  it('supposes quarters of the target before anything is known', ({ expect }) => {
    const unknown = { ...TIER, baseline: NO_BASELINE }
    expect(standingOf(unknown, SAMPLE)).toEqual({ meanS: 1.25, slackS: 1.25, targetS: 5 })
  })
})

describe('an interval of a tier', () => {
  it('queues by z = (mean − S0)/(W/2): 1.5 s in the mean are 0.5', ({ expect }) => {
    expect(closeTier(interval(1.5, 0), SAMPLE, USUAL).queueing).toBeCloseTo(0.5 / 1.00213, 4)
  })

  it('has spent its allowance when 5 of 100 are over the target, and 0.4 of it at 2', ({
    expect,
  }) => {
    expect(closeTier(interval(1, 5), SAMPLE, USUAL).spent).toBeCloseTo(1, 9)
    expect(closeTier(interval(1, 2), SAMPLE, USUAL).spent).toBeCloseTo(0.4, 9)
  })

  it('counts who gave up as over the target: 25 to 100 that were in time are 0.2, 4 allowances', ({
    expect,
  }) => {
    const closed = closeTier(interval(1, 0), SAMPLE, { aim: 0.35, givenUp: 0.25, rate: 20 })
    expect(closed.spent).toBeCloseTo(4, 9)
    // (1 + 0.25 · 5)/1.25 = 1.8 s felt in the mean
    expect(closed.queueing).toBeCloseTo(0.8 / 1.00213, 4)
  })

  it('counts failures as over the target and learns no response time from them', ({ expect }) => {
    const failed = { ...TIER, completed: 40, late: 40 }
    const closed = closeTier(failed, SAMPLE, USUAL)
    expect(closed.spent).toBeCloseTo(20, 9)
    expect(closed.baseline).toEqual(TIER.baseline)
  })
})

describe('several tiers', () => {
  it('learn a share from at most a tenth of each tick: 100 of 400 move 1/2 to 0.475', ({
    expect,
  }) => {
    const samples = [
      tierTick({ name: 'page', timesMs: times(300, 100) }),
      tierTick({ name: 'search', timesMs: times(100, 100) }),
    ]
    const [page, search] = addToTiers([], samples, [300, 100])
    expect(search!.share).toBeCloseTo(0.475, 12)
    expect(page!.share).toBeCloseTo(0.525, 12)
    expect(page).toMatchObject({ completed: 300, served: 300, late: 0 })
  })
})
