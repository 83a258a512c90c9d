import { describe, it } from 'vitest'
import { type ArrivalsFactory, mmpp, poisson, replay } from '../../../lab/clients/arrivals.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { streams } from '../../../lab/engine/random.ts'

function times(factory: ArrivalsFactory, untilMs: number, seed = 1): number[] {
  const arrivals = factory(streams(seed))
  const list: number[] = []
  for (let ms = arrivals.nextMs(); ms <= untilMs; ms = arrivals.nextMs()) list.push(ms)
  return list
}

/** Variance of the number per second divided by its mean: 1 for Poisson, more for bursts. */
function dispersion(list: readonly number[], seconds: number): number {
  const counts = new Array<number>(seconds).fill(0)
  for (const ms of list) counts[Math.min(seconds - 1, Math.floor(ms / 1000))]! += 1
  const mean = list.length / seconds
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / seconds / mean
}

describe('arrivals', () => {
  it('are Poisson: 10/s for 10 000 s give 100 000 ± 1000, with a variance equal to the mean', ({
    expect,
  }) => {
    const list = times(poisson(constantRate(10)), 1e7)
    expect(Math.abs(list.length - 100_000)).toBeLessThan(1000) // 3.2 standard deviations
    expect(Math.abs(dispersion(list, 10_000) - 1)).toBeLessThan(0.06) // 4 standard deviations
  })

  it('follow the steps of their rate', ({ expect }) => {
    const list = times(poisson(steps({ 0: 10, 1000: 100 })), 2e6)
    const before = list.filter((ms) => ms < 1e6).length
    expect(Math.abs(before - 10_000)).toBeLessThan(400)
    expect(Math.abs(list.length - before - 100_000)).toBeLessThan(1300)
  })

  it('are the same visitors until two profiles differ', ({ expect }) => {
    const calm = times(poisson(constantRate(5)), 200_000)
    const surge = times(poisson(steps({ 0: 5, 100: 50 })), 200_000)
    const common = calm.filter((ms) => ms <= 100_000)
    expect(surge.slice(0, common.length)).toEqual(common)
  })

  it('come in bursts by MMPP: mean rate Σ rate × time, far more variable than Poisson', ({
    expect,
  }) => {
    const states = [
      { rate: 2, meanMs: 30_000 },
      { rate: 20, meanMs: 10_000 },
    ]
    const list = times(mmpp(states), 1e7)
    // (2 · 30 + 20 · 10) / 40 = 6.5/s; 250 cycles of about 40 s: the mean has an error of 7 %.
    expect(Math.abs(list.length / 10_000 - 6.5)).toBeLessThan(0.5)
    expect(dispersion(list, 10_000)).toBeGreaterThan(5)
  })

  it('replay a log with its times, classes and service times, and end with it', ({ expect }) => {
    const log = [{ atMs: 0, class: 1 }, { atMs: 5, demandMs: 40 }, { atMs: 5 }]
    const arrivals = replay(log)(streams(1))
    const seen = Array.from({ length: 4 }, () => ({ ms: arrivals.nextMs(), ...arrivals.visit }))
    expect(seen.map(({ ms }) => ms)).toEqual([0, 5, 5, Number.POSITIVE_INFINITY])
    expect(seen[0]).toMatchObject({ class: 1 })
    expect(seen[1]).toMatchObject({ demandMs: 40 })
  })
})
