import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { plantR } from '../../../lab/gate/plants.ts'
import { letAllIn } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import type { Change } from '../../../lab/origins/changes.ts'
import { SocLearner } from '../../../src/learners/soc/learner.ts'
import { addToWindow, EMPTY_WINDOW, tierPercentileMs } from '../../../src/learners/window.ts'
import { byDraws } from '../../support/admission-by-draws.ts'

/** The lab's plant R is M/M/8 with a capacity of 200 requests/s. 300 are offered. The SLA is a p95 of 200 ms. */
const OFFERED = 300
const TARGET_MS = 200

/** E[RT_n]: the mean over iterations of 60 s of their p95, which the paper's barycenters store. */
function meanPercentileMs(rate: number, iterations: number): number {
  const warmUp = 3
  const { trace } = runPlant({
    plant: plantR({ arrivals: poisson(constantRate(rate)) }),
    policy: letAllIn,
    seed: 99,
    seconds: 60 * (warmUp + iterations),
  })
  let sum = 0
  for (let n = warmUp; n < warmUp + iterations; n++) {
    const samples = trace.slice(60 * n, 60 * (n + 1)).map(({ sample }) => sample)
    const window = samples.reduce(addToWindow, EMPTY_WINDOW)
    sum += tierPercentileMs(window, samples[0]!.tiers[0]!)!
  }
  return sum / iterations
}

/** The rate at which that mean equals the target. */
function rateAtTarget(): number {
  const [low, high] = [176, 184]
  const [lowMs, highMs] = [meanPercentileMs(low, 150), meanPercentileMs(high, 150)]
  // Between two rates that are 4 % apart ln E[RT_n] is nearly linear.
  const part = Math.log(TARGET_MS / lowMs) / Math.log(highMs / lowMs)
  return low + part * (high - low)
}

/** The limit at the end of each iteration. */
function limitsOf(seed: number, iterations: number, changes: readonly Change[] = []): number[] {
  const { trace } = runPlant({
    plant: plantR({ arrivals: poisson(constantRate(OFFERED)), changes }),
    policy: byDraws(new SocLearner(), OFFERED),
    seed,
    seconds: 60 * iterations,
  })
  return trace
    .filter((_, second) => second % 60 === 59)
    .map(({ limit }) => (limit === Number.POSITIVE_INFINITY ? OFFERED : limit))
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length

describe('soc on M/M/8, from nothing and straight into overload', () => {
  const target = rateAtTarget()

  it('has an operating point that theory allows: between 85 % and 95 % of the capacity', ({
    expect,
  }) => {
    expect(target).toBeGreaterThan(170)
    expect(target).toBeLessThan(190)
  })

  it('comes within 5 % of the rate at which the mean of the percentiles is the target, and stays there', ({
    expect,
  }) => {
    for (const seed of [1, 2, 3]) {
      const settled = limitsOf(seed, 60).slice(30)
      expect(Math.abs(mean(settled) / target - 1)).toBeLessThan(0.05)
      for (const limit of settled) expect(Math.abs(limit / target - 1)).toBeLessThan(0.05)
    }
  })

  it('follows an unannounced loss of 3 of 8 servers within 15 iterations', ({ expect }) => {
    for (const seed of [1, 2, 3]) {
      const after = limitsOf(seed, 100, [{ atMs: 60 * 60_000, servers: 5 }]).slice(60)
      // Five servers carry 0.625 of the load, and a little less because fewer servers queue sooner.
      const expected = 0.59 * target
      for (const limit of after.slice(15)) expect(Math.abs(limit / expected - 1)).toBeLessThan(0.1)
    }
  })
})
