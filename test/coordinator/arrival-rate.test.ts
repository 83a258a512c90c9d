import { describe, it } from 'vitest'
import { streams } from '../../lab/engine/random.ts'
import { type ArrivalRate, observeArrivals } from '../../src/coordinator/arrival-rate.ts'

function poisson(mean: number, next: () => number): number {
  let count = 0
  for (let product = next(); product > Math.exp(-mean); product *= next()) count++
  return count
}

describe('the rate of arrivals', () => {
  it('starts with the first tick', ({ expect }) => {
    expect(observeArrivals(undefined, 8, 2)).toEqual({ rate: 4, seconds: 2 })
  })

  it('is half the newest tick and half the past at high rates (Bartolini et al. 2009, §4.1)', ({
    expect,
  }) => {
    const { rate } = observeArrivals({ rate: 1000, seconds: 1 }, 1050, 1)
    expect(rate).toBe(1025)
  })

  it('averages over a hundred arrivals at low rates: 25 s at 4/s', ({ expect }) => {
    const { rate, seconds } = observeArrivals({ rate: 4, seconds: 60 }, 6, 1)
    // (4 × 25 + 6) / 26
    expect(rate).toBeCloseTo(106 / 26)
    expect(seconds).toBe(26)
  })

  it('follows at once a change that chance does not explain: 40 in a second after 4/s', ({
    expect,
  }) => {
    // 3 √4 + 3 = 9 < 36
    expect(observeArrivals({ rate: 4, seconds: 25 }, 40, 1)).toEqual({ rate: 40, seconds: 1 })
  })

  it('follows at once when a crowd has left', ({ expect }) => {
    expect(observeArrivals({ rate: 100, seconds: 1 }, 0, 1).rate).toBe(0)
  })

  it('keeps p × arrivals within 2 % of the limit at 4/s, where the last tick alone is 8 % over', ({
    expect,
  }) => {
    const random = streams(1)('arrivals')
    const limit = 2
    let rate: ArrivalRate | undefined
    let admitted = 0
    const ticks = 20_000
    for (let tick = 0; tick < ticks; tick++) {
      const count = poisson(4, () => random.next())
      if (rate) admitted += Math.min(1, limit / rate.rate) * count
      rate = observeArrivals(rate, count, 1)
    }
    expect(Math.abs(admitted / ticks / limit - 1)).toBeLessThan(0.02)
  })
})
