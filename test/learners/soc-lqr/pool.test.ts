import { describe, it } from 'vitest'
import { poolOf, tailOf } from '../../../src/learners/soc-lqr/pool.ts'
import type { Tier } from '../../../src/learners/soc-lqr/tiers.ts'
import { SAMPLE, TIER } from '../../support/plant-s-tier.ts'

describe('all tiers as one', () => {
  it('have the slack of the least share × slack: 0.25 · 2 s is less than 0.75 · 0.9 s', ({
    expect,
  }) => {
    const page: Tier = { ...TIER, share: 0.75, baseline: { ...TIER.baseline, meanS: 0.2 } }
    const search: Tier = { ...TIER, name: 'search', share: 0.25 }
    // The page's own: 1.5 − 0.2 ln 20 = 0.9009 s.
    const samples = [{ ...SAMPLE, targetMs: 1500, windowMs: 60_000 }, SAMPLE]
    const pool = poolOf([page, search], samples)
    expect(pool.slackS).toBeCloseTo(0.25 * 2.0043, 4)
    expect(pool.meanS).toBeCloseTo(0.75 * 0.2 + 0.25 * 1, 12)
    expect([pool.targetS, pool.windowS]).toEqual([1.5, 60])
    expect(tailOf([page, search], samples, 1)).toBeCloseTo(2.9957, 4)
  })
})
