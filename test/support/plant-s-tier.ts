import type { Tier } from '../../src/learners/soc-lqr/tiers.ts'
import { tierTick } from './samples.ts'

/** The shop of Bartolini et al. 2009, §7: p95 within 5 s. */
export const SAMPLE = { ...tierTick({ targetMs: 5000 }), windowMs: 300_000 }

/** S0 = 1 s. With exponential service P0 = 3 s, so W = 2 s. */
export const TIER: Tier = {
  name: 'all',
  share: 1,
  meanS: 1,
  shape: [],
  seen: 10_000,
  completed: 0,
  served: 0,
  late: 0,
  latencyS: 0,
  latency: [],
}

/** An interval of 100 completed requests with this mean response time and number of late ones. */
export const interval = (meanS: number, late: number): Tier => ({
  ...TIER,
  completed: 100,
  served: 100,
  late,
  latencyS: 100 * meanS,
})
