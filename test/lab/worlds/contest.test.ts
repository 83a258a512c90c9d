import { describe, it } from 'vitest'
import type { PolicyFactory } from '../../../lab/gate/policy.ts'
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
