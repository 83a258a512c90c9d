import { describe, it } from 'vitest'
import type { Measured } from '../../../lab/gate/measures.ts'
import type { PolicyFactory } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { CHANGES_AT_S, clairvoyantsOf } from '../../../lab/worlds/clairvoyants.ts'
import {
  behindOneIsolate,
  calibrationSeedsOf,
  contestOf,
  runSeedOf,
  type WorldBest,
} from '../../../lab/worlds/contest.ts'
import { guarded } from '../../../lab/worlds/guard.ts'
import type { WorldSpec } from '../../../lab/worlds/spec.ts'
import { plainWorld } from '../../support/lab-world.ts'

const BEST: WorldBest = { loads: [[2, 8]], reserve: 0, guard: 1 }

describe('the contest of a world', () => {
  it('is measured from the onset to the end', ({ expect }) => {
    expect(contestOf(plainWorld(), BEST)).toMatchObject({ measureFromSeconds: 30, seconds: 270 })
    const cold = plainWorld({ onsetS: 0, seconds: 240 })
    expect(contestOf(cold, BEST).measureFromSeconds).toBe(0)
  })

  it('has the edge that was drawn, with its births, deaths, losses and late messages', ({
    expect,
  }) => {
    const edge = {
      isolates: 300,
      colos: 7,
      skew: 0.4,
      requestsPerIsolate: 2.5,
      idleMs: 9000,
      lifeMs: 90_000,
      coordinatorMs: 80,
      lost: 0.03,
      late: 0.12,
    }
    const faults = { lost: 0.03, late: { part: 0.12, by: { mean: 2000 } } }
    expect(contestOf(plainWorld({ edge }), BEST).edge).toMatchObject({
      isolates: 300,
      colos: 7,
      skew: 0.4,
      requestsPerIsolate: 2.5,
      idleMs: 9000,
      isolateLife: { mean: 90_000 },
      toRelay: { delay: { mean: 5 }, ...faults },
      toCoordinator: { delay: { mean: 80 }, ...faults },
    })
    expect(contestOf(plainWorld(), BEST).edge).not.toHaveProperty('isolateLife')
  })

  it('is behind a single isolate without faults, if that is asked for', ({ expect }) => {
    const drawn = contestOf(plainWorld({ edge: { isolates: 300, colos: 7, lost: 0.1 } }), BEST)
    const { edge, ...rest } = behindOneIsolate(drawn)
    expect(Object.keys(edge).sort()).toEqual(['toCoordinator', 'toRelay'])
    expect(Object.keys(edge.toRelay!)).toEqual(['delay'])
    expect(drawn).toMatchObject(rest)
  })

  it('is calibrated with visitors that no policy is judged by, in any world', ({ expect }) => {
    const worlds = [0, 1, 99].flatMap((index) => [
      plainWorld({ index }),
      plainWorld({ index, seed: 1000 }),
    ])
    const judged = worlds.map(runSeedOf)
    const tried = worlds.flatMap(calibrationSeedsOf)
    expect(new Set([...judged, ...tried]).size).toBe(3 * worlds.length)
  })
})

describe('the guard of a clairvoyant of sessions', () => {
  const session = { pages: 5, length: 'fixed', thinkMs: 1000 } as const
  const admits = (world: WorldSpec, part: number, inFlight: number) => {
    const all: PolicyFactory = () => ({ admits: () => true, hasRoom: () => true })
    const view = { inFlight, activeSessions: 0, capacity: 2 }
    const policy = guarded(all, world, part)(view, {} as never, {} as never)
    return [policy.admits(0, 0, 0), policy.hasRoom!()]
  }

  it('admits nobody while so many are in flight that answers take as long as the target', ({
    expect,
  }) => {
    // Two servers of 100 ms and a target of 500 ms: twelve inside, five of them before a newcomer at each server.
    const world = plainWorld({ traffic: { session } })
    expect(admits(world, 1, 11)).toEqual([true, true])
    expect(admits(world, 1, 12)).toEqual([false, false])
    expect(admits(world, 0.5, 6)).toEqual([false, false])
  })

  it('is nothing on request routes', ({ expect }) => {
    expect(admits(plainWorld(), 1, 1000)).toEqual([true, true])
  })
})

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
