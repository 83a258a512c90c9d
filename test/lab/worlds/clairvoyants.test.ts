import { describe, it } from 'vitest'
import type { Measured } from '../../../lab/gate/measures.ts'
import type { PolicyFactory } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { bestLoadsOf } from '../../../lab/worlds/best.ts'
import { CHANGES_AT_S, clairvoyantsOf } from '../../../lab/worlds/clairvoyants.ts'
import {
  calibrationSeedsOf,
  contestOf,
  runSeedOf,
  type WorldBest,
} from '../../../lab/worlds/contest.ts'
import type { WorldSpec } from '../../../lab/worlds/spec.ts'
import { plainWorld } from '../../support/lab-world.ts'

/** The clairvoyant that holds more or less by a factor, which each part of the surge has of its own. */
function varying(world: WorldSpec, best: WorldBest, factors: readonly number[]): PolicyFactory {
  const { loads, reserve, guard } = best
  return (view, setting, parts) => {
    const policies = [1, ...factors].map((factor) => {
      const scaled = loads.map(([capacity, load]) => [capacity, load * factor] as const)
      const held = contestOf(world, { loads: scaled, reserve, guard: guard * factor })
      return held.clairvoyant(view, setting, parts)
    })
    return {
      admits(klass, nowMs, home) {
        const sinceS = nowMs / 1000 - world.onsetS
        const part = CHANGES_AT_S.filter((fromS) => fromS <= sinceS).length
        return policies[part]!.admits(klass, nowMs, home)
      },
    }
  }
}

type Reached = Pick<Measured, 'inSlaValue' | 'windows' | 'windowsMissed'>

const worth = ({ inSlaValue, windows, windowsMissed }: Reached) =>
  inSlaValue * (1 - windowsMissed / windows)

describe('the constant clairvoyant of a world', () => {
  it('holds what was best of a stated search, with visitors that no policy is judged by', async ({
    expect,
  }) => {
    // Half the crowd is worth five times as much, so that others must leave room for it.
    const part = 0.5
    const classes = [
      { name: 'gold', value: 5, part, guaranteed: 0 },
      { name: 'silver', value: 1, part, guaranteed: 0 },
    ]
    const world = plainWorld({ traffic: { classes, overload: 4 }, seconds: 150 })
    const { best } = await clairvoyantsOf(world)
    expect(best.reserve).toBeGreaterThan(0)
    const tried = bestLoadsOf(world)
    const worthAt = ({ factor = 1, reserve = best.reserve }) => {
      const loads = tried.map(([capacity, load]) => [capacity, load * factor] as const)
      const { clairvoyant: policy, ...contest } = contestOf(world, { ...best, loads, reserve })
      const seeds = calibrationSeedsOf(world)
      return seeds.reduce((sum, seed) => sum + worth(runPlant({ ...contest, policy, seed })), 0)
    }
    const factor = best.loads[0]![1] / tried[0]![1]
    for (const other of [0.85, 0.93, 1, 1.1, 1.25])
      expect(worthAt({ factor })).toBeGreaterThanOrEqual(worthAt({ factor: other }))
    for (const reserve of [0, 0.25, 0.5, 0.75, 1])
      expect(worthAt({})).toBeGreaterThanOrEqual(worthAt({ reserve }))
  })
})

describe('the two clairvoyants of a world', () => {
  // While the origin pauses or becomes slower, no load is best all the time.
  const plain = {
    origin: { service: { law: 'exponential', meanMs: 100 } },
    sla: { percentile: 90, targetMs: 700, windowMs: 60_000 },
  } as const
  const pausing = { kind: 'pauses', everyS: 40, lengthS: 1 } as const
  const leaking = { kind: 'leak', left: 0.4, fromS: 10, toS: 100 } as const
  const session = { pages: 4, length: 'fixed', thinkMs: 1000 } as const
  const traffic = { session, saturationRate: 5, overload: 4 }

  it.for([
    ['requests', plainWorld({ ...plain, trouble: pausing, seconds: 150 })],
    ['sessions', plainWorld({ ...plain, traffic, trouble: leaking })],
  ] as const)(
    'are what their loads reach, and the one that varies is worth more (%s)',
    async ([, world], { expect }) => {
      const { best, constant, varying: found } = await clairvoyantsOf(world)
      // Sessions that all come at once are held back.
      if (world.traffic.session !== null) expect(best.guard).toBeLessThan(1)
      const { plant, seconds, measureFromSeconds, clairvoyant } = contestOf(world, best)
      const common = { plant, seconds, measureFromSeconds, seed: runSeedOf(world) }
      expect(runPlant({ ...common, policy: clairvoyant })).toMatchObject(constant)
      const { factors, ...reached } = found
      expect(new Set(factors).size).toBeGreaterThan(1)
      expect(worth(reached)).toBeGreaterThan(worth(constant))
      const policy = varying(world, best, factors)
      expect(runPlant({ ...common, policy })).toMatchObject(reached)
    },
  )
})
