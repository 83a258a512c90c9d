import { describe, it } from 'vitest'
import {
  addToTiers,
  closeTier,
  standingOf,
} from '../../../../src/control/learners/soc-lqr/tiers.ts'
import { tierTick, times } from '../../samples.ts'
import { interval, SAMPLE, TIER } from './plant-s-tier.ts'

describe('a tier against its target (control notes 2.2: W = SLA − P0)', () => {
  it('has W = 5 − ln 20 = 2.004 s of slack at S0 = 1 s', ({ expect }) => {
    const { meanS, slackS, targetS } = standingOf(TIER, SAMPLE)
    expect([meanS, targetS]).toEqual([1, 5])
    expect(slackS).toBeCloseTo(2.0043, 4)
  })

  it('has a tenth of the target where service alone takes longer: 0.5 s of 5 s', ({ expect }) => {
    const slow = { ...TIER, baseline: { ...TIER.baseline, meanS: 2.5 } }
    expect(standingOf(slow, SAMPLE).slackS).toBe(0.5)
  })

  it('takes another percentile at its word: p80 leaves 5 − ln 5 = 3.39 s', ({ expect }) => {
    expect(standingOf(TIER, { ...SAMPLE, percentile: 80 }).slackS).toBeCloseTo(3.3906, 4)
  })

  it('supposes quarters of the target before anything is known', ({ expect }) => {
    const unknown = { ...TIER, baseline: { meanS: 0, seen: 0, shape: [] } }
    expect(standingOf(unknown, SAMPLE)).toEqual({ meanS: 1.25, slackS: 1.25, targetS: 5 })
  })
})

describe('an interval of a tier (control notes 2.4 and 2.5)', () => {
  it('queues by z = (mean − S0)/(W/2): 1.5 s in the mean are 0.5', ({ expect }) => {
    expect(closeTier(interval(1.5, 0), SAMPLE, 0.35, 0).queueing).toBeCloseTo(0.5 / 1.00213, 4)
  })

  it('has spent its allowance when 5 of 100 are over the target, and 0.4 of it at 2', ({
    expect,
  }) => {
    expect(closeTier(interval(1, 5), SAMPLE, 0.35, 0).spent).toBeCloseTo(1, 9)
    expect(closeTier(interval(1, 2), SAMPLE, 0.35, 0).spent).toBeCloseTo(0.4, 9)
  })

  it('counts who gave up as over the target: 25 to 100 that were in time are 0.2, 4 allowances', ({
    expect,
  }) => {
    const closed = closeTier(interval(1, 0), SAMPLE, 0.35, 0.25)
    expect(closed.spent).toBeCloseTo(4, 9)
    // (1 + 0.25 · 5)/1.25 = 1.8 s felt in the mean
    expect(closed.queueing).toBeCloseTo(0.8 / 1.00213, 4)
  })

  it('counts failures as over the target and learns no response time from them', ({ expect }) => {
    const failed = { ...TIER, completed: 40, late: 40 }
    const closed = closeTier(failed, SAMPLE, 0.35, 0)
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
