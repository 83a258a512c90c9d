import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { deterministic, exponential } from '../../../lab/engine/distributions.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { type RunResult, runPlant } from '../../../lab/gate/run-plant.ts'
import type { Decision, Learner, Sample } from '../../../src/learners/learner-interface.ts'
import { createLearner } from '../../../src/learners/registry.ts'
import type { SocLqrState } from '../../../src/learners/soc-lqr/state.ts'

const CHOICE = { name: 'soc-lqr', options: {} }
const SEEDS = [1, 2, 3]

/** A learner that shows each of its decisions. */
function watched(see: (decision: Decision, sample: Sample, state: SocLqrState) => void): Learner {
  const { learner } = createLearner(CHOICE)
  return {
    get state() {
      return learner.state
    },
    update(sample) {
      const decision = learner.update(sample)
      see(decision, sample, learner.state as SocLqrState)
      return decision
    },
  }
}

const run = (plant: Plant, seed: number, seconds: number, measureFromSeconds = 0): RunResult =>
  runPlant({
    plant,
    seed,
    seconds,
    measureFromSeconds,
    learner: () => createLearner(CHOICE).learner,
  })

/** Served from a second on, as a part of what the origin can. */
function utilisation({ trace }: RunResult, capacity: number, from: number): number {
  const ticks = trace.slice(from)
  return ticks.reduce((sum, { sample }) => sum + sample.goodput, 0) / ticks.length / capacity
}

describe('a target that can no longer be reached: no shutdown (Mathur et al. 2009, §III-C and Fig. 3)', () => {
  const slow = {
    'constant service of 300 ms': deterministic({ value: 300 }),
    'exponential service of 300 ms': exponential({ mean: 300 }),
  }
  for (const [name, service] of Object.entries(slow))
    it(`uses 0.6 of the 27/s of 8 servers whose ${name} misses 200 ms`, ({ expect }) => {
      for (const seed of [...SEEDS, 7]) {
        const plant = plantR({ service, arrivals: poisson(constantRate(60)) })
        expect(utilisation(run(plant, seed, 400), 8 / 0.3, 100)).toBeGreaterThan(0.6)
      }
    })

  it('uses 0.9 of 25/s after servers of 80 ms became four times as slow, and lets nothing pile up', ({
    expect,
  }) => {
    for (const seed of SEEDS) {
      const plant = plantR({
        service: deterministic({ value: 80 }),
        arrivals: poisson(constantRate(200)),
        changes: [{ atMs: 200_000, speed: 0.25 }],
      })
      const result = run(plant, seed, 500)
      expect(utilisation(result, 25, 300)).toBeGreaterThan(0.9)
      // No more than wait as long as they are served: two for each server, and a few that come in between.
      for (const { sample } of result.trace.slice(300)) expect(sample.inFlight).toBeLessThan(3 * 8)
    }
  })

  it('uses 0.6 of a session route’s 20/s after a quarter of an hour: 1 s misses 0.8 s', ({
    expect,
  }) => {
    for (const seed of SEEDS) {
      const sla = { percentile: 95, targetMs: 800, windowMs: 60_000 }
      const plant = plantS({ sla, service: deterministic({ value: 1000 }) })
      expect(utilisation(run(plant, seed, 1500), 20, 900)).toBeGreaterThan(0.6)
    }
  })
})

describe('servers of another speed, where a fixed operating point fails (Mathur et al. 2009, §III-C)', () => {
  const sla = { percentile: 95, targetMs: 400, windowMs: 60_000 }
  const others = {
    'half as many, twice as fast': { servers: 4, speed: 2 },
    'twice as many, half as fast': { servers: 16, speed: 0.5 },
  }
  for (const [name, change] of Object.entries(others))
    it(`keeps 0.97 of the 200/s of 8 servers of 40 ms, and every window, with ${name}`, ({
      expect,
    }) => {
      for (const seed of SEEDS) {
        const arrivals = poisson(steps({ 0: 100, 30: 300 }))
        const plant = plantR({ sla, arrivals, changes: [{ atMs: 120_000, ...change }] })
        const result = run(plant, seed, 480, 120)
        expect(utilisation(result, 200, 130)).toBeGreaterThan(0.97)
        expect(result.windowsMissed).toBe(0)
      }
    })
})

describe('the state of a session route, tick by tick', () => {
  it('is accepted again after JSON in each of 600 ticks of a loss and a return', ({ expect }) => {
    let ticks = 0
    const learner = () =>
      watched((_decision, _sample, state) => {
        ticks += 1
        expect(createLearner(CHOICE, JSON.parse(JSON.stringify(state))).note).toBeNull()
      })
    const changes = [
      { atMs: 200_000, servers: 12 },
      { atMs: 400_000, servers: 20, announced: true },
    ]
    runPlant({ plant: plantS({ changes }), seed: 1, seconds: 600, learner })
    expect(ticks).toBe(600)
  })
})
