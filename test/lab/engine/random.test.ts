import { describe, it } from 'vitest'
import { type Random, streams } from '../../../lab/engine/random.ts'

const draws = (random: Random, count: number) => Array.from({ length: count }, () => random.next())

const correlation = (a: readonly number[], b: readonly number[]) => {
  // Uniform on [0, 1): mean 1/2, variance 1/12.
  const sum = a.reduce((total, x, i) => total + (x - 0.5) * (b[i]! - 0.5), 0)
  return (12 * sum) / a.length
}

describe('named random streams', () => {
  it('give the same numbers for the same seed and name', ({ expect }) => {
    expect(draws(streams(7)('arrivals'), 100)).toEqual(draws(streams(7)('arrivals'), 100))
  })

  it('are independent: the correlation of n = 10 000 draws is below 4/√n', ({ expect }) => {
    const random = streams(7)
    const all = [
      random('arrivals'),
      random('demands'),
      streams(8)('arrivals'),
      streams(7 + 2 ** 32)('arrivals'),
      random('sessions').fork(0),
      random('sessions').fork(1),
      random('sessions').fork(-1),
    ].map((stream) => draws(stream, 10_000))
    for (let i = 0; i < all.length; i++) {
      for (let j = 0; j < i; j++) {
        expect(Math.abs(correlation(all[i]!, all[j]!))).toBeLessThan(0.04)
      }
    }
  })

  it('fork by index, independently of earlier draws', ({ expect }) => {
    const used = streams(7)('sessions')
    draws(used, 5)
    expect(draws(used.fork(3), 10)).toEqual(draws(streams(7)('sessions').fork(3), 10))
  })

  it('are uniform on [0, 1): χ² of 100 000 draws in 100 bins is within its 99.9 % range', ({
    expect,
  }) => {
    const bins = new Array<number>(100).fill(0)
    for (const x of draws(streams(1)('uniform'), 100_000)) bins[Math.floor(100 * x)]! += 1
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // 99 degrees of freedom: 0.05 % and 99.95 % quantiles.
    expect(chiSquare).toBeGreaterThan(56)
    expect(chiSquare).toBeLessThan(155)
  })

  it('are also uniform over forks: the first draws of 100 000 sessions', ({ expect }) => {
    const parent = streams(1)('sessions')
    const bins = new Array<number>(100).fill(0)
    for (let i = 0; i < 100_000; i++) bins[Math.floor(100 * parent.fork(i).next())]! += 1
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    expect(chiSquare).toBeGreaterThan(56)
    expect(chiSquare).toBeLessThan(155)
  })
})
