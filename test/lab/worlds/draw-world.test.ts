import fc from 'fast-check'
import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { arrivalRate } from '../../../lab/worlds/arrival-rate.ts'
import { drawWorld, MOST_OFFERED, SURGE_S } from '../../../lab/worlds/draw-world.ts'
import { lineOf } from '../../../lab/worlds/line.ts'
import { changesOf } from '../../../lab/worlds/plant.ts'
import { serviceOf, serviceQuantile } from '../../../lab/worlds/service.ts'
import type { WorldSpec } from '../../../lab/worlds/spec.ts'

const anyWorld = fc
  .tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 999 }))
  .map(([seed, index]) => drawWorld(seed, index))
const holds = (property: (world: WorldSpec) => void) =>
  fc.assert(
    fc.property(anyWorld, (world) => {
      property(world)
    }),
    { numRuns: 100, seed: 1 },
  )

const SOME = Array.from({ length: 20 }, (_, index) => drawWorld(1, index))

describe('a random world', () => {
  it('follows from its seed and index alone, and survives JSON', ({ expect }) => {
    holds((world) => {
      expect(drawWorld(world.seed, world.index)).toEqual(world)
      expect(JSON.parse(JSON.stringify(world))).toEqual(world)
    })
    expect(drawWorld(1, 1)).not.toMatchObject({ origin: drawWorld(1, 2).origin })
    expect(drawWorld(2, 1)).not.toMatchObject({ origin: drawWorld(1, 1).origin })
  })

  it('knows the quantiles of its service times', ({ expect }) => {
    const random = streams(1)('service')
    for (const { origin } of SOME) {
      const service = serviceOf(origin)
      const p95 = serviceQuantile(origin, 0.95)
      const above = Array.from({ length: 4000 }, () => service.draw(random)).filter(
        (ms) => ms > p95,
      )
      expect(above.length / 4000).toBeLessThan(0.065)
      if (origin.service.law !== 'constant') expect(above.length / 4000).toBeGreaterThan(0.035)
    }
  })

  it('prints as one line', ({ expect }) => {
    holds((world) => expect(lineOf(world)).toMatch(/^\d+ x [^\n]*ms[^\n]*isolates in \d+ colos/))
  })

  it('stays within the ranges of docs/worlds.md', ({ expect }) => {
    const between = (value: number, low: number, high: number) => {
      expect(value).toBeGreaterThanOrEqual(low)
      expect(value).toBeLessThanOrEqual(high)
    }
    holds(({ origin, sla, traffic, edge, onsetS, seconds }) => {
      between(origin.servers, 1, 64)
      between(origin.service.meanMs, 5, 500)
      between(traffic.overload, 1.2, 20)
      between(traffic.calm, 0.3, 0.7)
      between(edge.isolates, 1, 1000)
      between(edge.colos, 1, Math.min(30, edge.isolates))
      between(edge.idleMs, 5000, 60_000)
      expect([90, 95, 99]).toContain(sla.percentile)
      expect(seconds - onsetS).toBe(SURGE_S)
      if (traffic.session) {
        between(traffic.session.pages, 2, 20)
        between(traffic.session.pages * traffic.session.thinkMs, 0, 60_000)
      }
    })
  })

  it('promises what an idle origin can keep, at least 1.5 times the 95th percentile of service', ({
    expect,
  }) => {
    holds(({ origin, sla }) => {
      expect(sla.targetMs).toBeGreaterThanOrEqual(1.49 * serviceQuantile(origin, 0.95))
      expect(sla.targetMs).toBeGreaterThan(1.2 * serviceQuantile(origin, sla.percentile / 100))
    })
  })

  it('offers no more than the bound, calm before the onset and the overload after it', ({
    expect,
  }) => {
    holds((world) => {
      const { traffic, onsetS, seconds } = world
      const rate = arrivalRate(world)
      const peak = traffic.overload * traffic.saturationRate
      expect(peak).toBeLessThanOrEqual(MOST_OFFERED * 1.01)
      const surge = Array.from({ length: 2 * (seconds - onsetS) }, (_, i) =>
        rate.rateAt(onsetS * 1000 + i * 500),
      )
      expect(Math.max(...surge)).toBeGreaterThan(0.97 * peak)
      expect(Math.max(...surge)).toBeLessThan(1.001 * peak)
      if (onsetS > 0) expect(rate.rateAt(0)).toBeLessThanOrEqual(0.7 * traffic.saturationRate)
    })
  })

  it('changes its capacity within the run, and is never left without any', ({ expect }) => {
    holds((world) => {
      for (const { atMs, servers, speed } of changesOf(world)) {
        expect(atMs).toBeGreaterThanOrEqual(0)
        if (servers !== undefined) expect(servers).toBeGreaterThanOrEqual(1)
        if (world.trouble.kind !== 'pauses') expect(speed ?? 1).toBeGreaterThan(0.3)
      }
    })
  })
})
