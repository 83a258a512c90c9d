import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { type RunResult, runPlant } from '../../../lab/gate/run-plant.ts'
import type { Decision, Learner, Sample } from '../../../src/learners/learner-interface.ts'
import { createLearner } from '../../../src/learners/registry.ts'

/**
 * M/M/c: exponential service of 40 ms, 400 requests/s asked, p95 within 200 ms in windows of 60 s. λ* is the
 * largest rate at which 98 % of the windows hold, when a bucket keeps to it: 231/s with 10 servers (capacity
 * 250/s), 134/s with 6.
 */
const LAMBDA_STAR = { 10: 231, 6: 134 } as const
const queue = (servers: number, changes: { atMs: number; servers: number }[] = []) =>
  plantR({ servers, changes, arrivals: poisson(constantRate(400)) })

const SEEDS = [1, 2, 3]
const socLqr = (): Learner => createLearner({ name: 'soc-lqr', options: {} }).learner

/** Its rate alone: the cap on requests in flight would admit more than any rate can. */
function rateOnly(): Learner {
  const learner = socLqr()
  return {
    get state() {
      return learner.state
    },
    update: (sample: Sample): Decision => ({ ...learner.update(sample), inFlightCap: null }),
  }
}

function fixedRate(limit: number): Learner {
  return { state: { version: 1 }, update: () => ({ limit, burst: limit * 0.04, reason: 'fixed' }) }
}

function meanLimit({ trace }: RunResult, from: number, to: number): number {
  const ticks = trace.slice(from, to)
  return ticks.reduce((sum, { limit }) => sum + limit, 0) / ticks.length
}

/** The part of the windows that hold at a constant rate. */
function holding(servers: number, rate: number): number {
  let missed = 0
  let windows = 0
  for (const seed of SEEDS) {
    const options = { plant: queue(servers), seed, seconds: 2460, measureFromSeconds: 60 }
    const run = runPlant({ ...options, learner: () => fixedRate(rate) })
    missed += run.windowsMissed
    windows += run.windows
  }
  return 1 - missed / windows
}

describe('soc-lqr on a queue of known theory (M/M/c, requests without sessions)', () => {
  it('is measured against the right λ*: 98 % of the windows hold below it, and not above', ({
    expect,
  }) => {
    expect(holding(6, 0.98 * LAMBDA_STAR[6])).toBeGreaterThanOrEqual(0.98)
    expect(holding(6, 1.03 * LAMBDA_STAR[6])).toBeLessThan(0.98)
  })

  for (const seed of SEEDS)
    it(`comes from nothing within 5 % of λ*, and after a loss of 40 % that nobody announces within 10 % in 15 ticks: seed ${seed}`, ({
      expect,
    }) => {
      const changes = [{ atMs: 600_000, servers: 6 }]
      const run = runPlant({ plant: queue(10, changes), seed, seconds: 660, learner: rateOnly })
      expect(Math.abs(meanLimit(run, 200, 600) / LAMBDA_STAR[10] - 1)).toBeLessThan(0.05)
      expect(Math.abs(meanLimit(run, 615, 630) / LAMBDA_STAR[6] - 1)).toBeLessThan(0.1)
    })
})

describe('a tenfold surge on a learner that has only ever seen low load', () => {
  for (const seed of SEEDS)
    it(`is held: p95 within the target from the tenth tick on, few sessions abandoned: seed ${seed}`, ({
      expect,
    }) => {
      const plant = plantS({ arrivals: poisson(steps({ 0: 1.5, 600: 15 })) })
      const run = runPlant({ plant, seed, seconds: 900, measureFromSeconds: 600, learner: socLqr })
      for (const [from, to] of [
        [610, 670],
        [670, 900],
      ] as const) {
        const ticks = run.trace.slice(from, to).map(({ sample }) => sample.tiers[0]!)
        const late = ticks.reduce((sum, tier) => sum + tier.late, 0)
        const completed = ticks.reduce((sum, tier) => sum + tier.completed, 0)
        expect(late / completed).toBeLessThan(0.05)
      }
      const { abandoned, completed } = run.sessions
      expect(abandoned / (abandoned + completed)).toBeLessThan(0.05)
      expect(run.sessions.broken).toBe(0)
    })
})
