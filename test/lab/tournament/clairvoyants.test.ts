import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { singleRequests } from '../../../lab/clients/single-requests.ts'
import { exponential } from '../../../lab/engine/distributions.ts'
import { plantS } from '../../../lab/gate/plants.ts'
import type { PolicyFactory, View } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { bestLoadsOf, clairvoyantOf, loadAt } from '../../../lab/tournament/best-load-table.ts'
import { CALIBRATIONS } from '../../../lab/tournament/calibrate.ts'
import { CONTESTS } from '../../../lab/tournament/contests.ts'
import { play } from '../../../lab/tournament/policies.ts'
import { watched } from '../../../lab/tournament/promises.ts'

describe('the best load at a capacity', () => {
  const best = {
    loads: [
      [12, 171],
      [20, 299],
    ],
    reserve: 0,
  } as const

  it('is the value found, interpolated between entries, and proportional beyond them', ({
    expect,
  }) => {
    expect(loadAt(best, 20)).toBe(299)
    expect(loadAt(best, 16)).toBe(235)
    expect(loadAt(best, 6)).toBe(85.5)
    expect(loadAt(best, 40)).toBe(598)
    expect(loadAt(best, 0)).toBe(0)
  })

  it('is in the table for each calibration, at each capacity that was tried', ({ expect }) => {
    for (const { name, plants } of CALIBRATIONS) {
      expect(bestLoadsOf(name).loads.map(([capacity]) => capacity)).toEqual(
        plants.map(([capacity]) => capacity),
      )
    }
    expect(() => bestLoadsOf('lost')).toThrow('"lost"')
  })
})

describe('a clairvoyant of several classes', () => {
  const view = { inFlight: 0, activeSessions: 0, capacity: 10 }
  const demand = { arrivals: constantRate(50), mix: [0.2, 0.8], saturationRate: 20 }
  const policy = (load: number) => {
    const factory: PolicyFactory = clairvoyantOf(
      'request',
      { loads: [[10, 100]], reserve: 0.8 },
      demand,
    )
    const world = { agenda: { nowMs: 0 } }
    return factory({ ...view, inFlight: load } as View, {} as never, world as never)
  }

  it('leaves free the demand of the better class: 0.8 of 10/20 of the load', ({ expect }) => {
    expect(policy(99).admits(0, 0, 0)).toBe(true)
    expect(policy(59).admits(1, 0, 0)).toBe(true)
    expect(policy(60).admits(1, 0, 0)).toBe(false)
    expect(policy(100).admits(0, 0, 0)).toBe(false)
    // There is room if even the less valuable class finds some: 0.9 of 60.
    expect(policy(53).hasRoom!()).toBe(true)
    expect(policy(54).hasRoom!()).toBe(false)
  })
})

describe('the promise to admitted sessions', () => {
  const run = (plant: Parameters<typeof watched>[0], policy: PolicyFactory) => {
    const watch = watched(plant, 0, 600_000)
    const result = runPlant({ plant: watch.plant, policy, seed: 1, seconds: 600 })
    return { result, promises: watch.result(600_000) }
  }

  it("equals the run's own counts if no admitted session is refused", ({ expect }) => {
    const { result, promises } = run(plantS(), () => ({ admits: () => true }))
    expect(result.windowsMissed).toBeGreaterThan(0)
    expect(result).toMatchObject(promises)
  })

  it('is broken by each refusal inside a session', ({ expect }) => {
    // Every tenth request of admitted sessions is refused: over 5 % of them are not answered in
    // time.
    let sent = 0
    const { result, promises } = run(plantS({ servers: 200 }), () => ({
      admits: () => true,
      admitsKnown: () => sent++ % 10 !== 0,
    }))
    expect(result.windowsMissed).toBe(0)
    expect(promises.windowsMissed).toBe(promises.windows)
    expect(promises.lateShare).toBeCloseTo(0.1, 1)
  })

  it('does not exist on a route without sessions', ({ expect }) => {
    const plant = {
      ...plantS(),
      granularity: 'request' as const,
      clients: singleRequests({
        arrivals: poisson(constantRate(5)),
        demand: exponential({ mean: 100 }),
      }),
    }
    const { result, promises } = run(plant, () => ({ admits: (_class, nowMs) => nowMs % 2 < 1 }))
    expect(result.refused).toBeGreaterThan(0)
    expect(promises.lateShare).toBe(0)
  })
})

describe("the tournament's scenarios", () => {
  it('have unique names, a text, and a measured period with at least two windows', ({ expect }) => {
    expect(new Set(CONTESTS.map(({ name }) => name)).size).toBe(CONTESTS.length)
    for (const { seconds, measureFromSeconds, plant, text, name } of CONTESTS) {
      expect(text, name).toMatch(/\.$/)
      const windows = ((seconds - measureFromSeconds) * 1000) / plant.sla.windowMs
      expect(windows, name).toBeGreaterThanOrEqual(2)
    }
  })

  it('give the same run for the same seed, also behind the edge', {
    timeout: 30_000,
  }, async ({ expect }) => {
    const contest = CONTESTS.find(({ name }) => name === 'api-classes')!
    const short = { ...contest, seconds: 150 }
    const figures = async () => {
      const { trace, ...measured } = await play(short, 'soc-lqr', 1)
      return { measured, limits: trace.map(({ limit }) => limit) }
    }
    expect(await figures()).toEqual(await figures())
  })
})
