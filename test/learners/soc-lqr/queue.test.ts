import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { type RunResult, runPlant } from '../../../lab/gate/run-plant.ts'
import { SocLqrLearner } from '../../../src/learners/soc-lqr/learner.ts'
import type { SocLqrState } from '../../../src/learners/soc-lqr/state.ts'

const SEEDS = [1, 2, 3]

/** A run, and what the learner knew after each of its ticks. */
function runOf(plant: Plant, seed: number, seconds: number, measureFromSeconds = 0) {
  const states: SocLqrState[] = []
  const learner = new SocLqrLearner()
  const watched = {
    get state() {
      return learner.state
    },
    update(sample: Parameters<SocLqrLearner['update']>[0]) {
      const decision = learner.update(sample)
      states.push(learner.state)
      return decision
    },
  }
  const result = runPlant({ plant, seed, seconds, measureFromSeconds, learner: () => watched })
  return { ...result, states }
}

function served({ trace }: RunResult, from: number, to: number): number {
  const ticks = trace.slice(from, to)
  return ticks.reduce((sum, { sample }) => sum + sample.goodput, 0) / ticks.length
}

function meanCapacity(states: readonly SocLqrState[], from: number, to: number): number {
  const rates = states.slice(from, to).map(({ capacity }) => capacity.rate ?? 0)
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length
}

/** M/M/c: exponential service of 40 ms, p95 within 200 ms in windows of 60 s. Ten servers serve 250/s. */
const queue = (changes: { atMs: number; servers: number }[] = []) =>
  plantR({ servers: 10, changes, arrivals: poisson(steps({ 0: 100, 30: 400 })) })

describe('soc-lqr on a queue of known theory (M/M/c, requests without sessions)', () => {
  it.for(SEEDS)(
    'finds C = c/S0 to a twentieth and S0 to a tenth, serves 0.95 of C, and keeps every window: seed %i',
    (seed, { expect }) => {
      const run = runOf(queue(), seed, 600, 60)
      expect(Math.abs(meanCapacity(run.states, 60, 600) / 250 - 1)).toBeLessThan(0.05)
      const [{ meanS } = { meanS: 0 }] = run.states.at(-1)!.tiers
      expect(Math.abs(meanS / 0.04 - 1)).toBeLessThan(0.1)
      expect(served(run, 60, 600)).toBeGreaterThan(0.95 * 250)
      expect(run.windowsMissed).toBe(0)
    },
  )

  it.for(SEEDS)(
    'finds within 15 ticks, to a tenth, that four of ten servers are lost, which nobody announces: seed %i',
    (seed, { expect }) => {
      const run = runOf(queue([{ atMs: 300_000, servers: 6 }]), seed, 480, 60)
      expect(Math.abs(meanCapacity(run.states, 315, 330) / 150 - 1)).toBeLessThan(0.1)
      expect(served(run, 315, 480)).toBeGreaterThan(0.95 * 150)
      expect(run.windowsMissed).toBeLessThanOrEqual(1)
    },
  )

  it.for(SEEDS)(
    'finds within five minutes that six servers were added, which nobody announces: seed %i',
    (seed, { expect }) => {
      const run = runOf(queue([{ atMs: 120_000, servers: 16 }]), seed, 500, 60)
      expect(meanCapacity(run.states, 440, 500)).toBeGreaterThan(0.95 * 400)
      expect(served(run, 440, 500)).toBeGreaterThan(0.95 * 395)
    },
  )

  it.for(SEEDS)(
    'keeps the windows from the third minute on where the first tick of all is overloaded: seed %i',
    (seed, { expect }) => {
      const plant = plantR({ arrivals: poisson(constantRate(300)) })
      const run = runOf(plant, seed, 420, 120)
      expect(run.windowsMissed).toBe(0)
      expect(served(run, 120, 420)).toBeGreaterThan(0.95 * 200)
    },
  )
})

describe('a tenfold surge on a learner that has only ever seen low load', () => {
  it.for(SEEDS)(
    'is held: p95 within the target from the tenth tick on, few sessions abandoned: seed %i',
    (seed, { expect }) => {
      const plant = plantS({ arrivals: poisson(steps({ 0: 1.5, 600: 15 })) })
      const run = runOf(plant, seed, 900, 600)
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
    },
  )
})

describe('sessions, where twice as many come as the origin can take', () => {
  it.for(SEEDS)(
    'are admitted up to 0.85 of what the origin serves, and the windows hold: seed %i',
    (seed, { expect }) => {
      const run = runOf(plantS(), seed, 2400, 900)
      expect(served(run, 900, 2400)).toBeGreaterThan(0.85 * 20)
      expect(run.windowsMissed).toBeLessThanOrEqual(1)
      expect(run.sessions.broken).toBe(0)
    },
  )
})
