import { describe, it } from 'vitest'
import {
  around,
  type Distribution,
  deterministic,
  exponential,
  fromData,
  hyperexponential,
  logNormal,
  pareto,
  uniform,
} from '../../../lab/engine/distributions.ts'
import { streams } from '../../../lab/engine/random.ts'

const COUNT = 200_000

function sampled(distribution: Distribution) {
  const random = streams(3)('sample')
  const values = Array.from({ length: COUNT }, () => distribution.draw(random))
  const mean = values.reduce((sum, value) => sum + value, 0) / COUNT
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / COUNT
  return { values, mean, variance }
}

const CASES: Readonly<Record<string, Distribution>> = {
  'exponential, mean 40': exponential({ mean: 40 }),
  'uniform from 2 to 8': uniform({ from: 2, to: 8 }),
  'around 1000 ± 10 %': around({ mean: 1000, spread: 0.1 }),
  'log-normal, mean 1000, cv 1': logNormal({ mean: 1000, cv: 1 }),
  'Pareto, mean 10, shape 5': pareto({ mean: 10, shape: 5 }),
  'hyperexponential, mean 50, cv 3': hyperexponential({ mean: 50, cv: 3 }),
  'from data 1, 2, 2, 7': fromData({ values: [1, 2, 2, 7] }),
}

describe('distributions', () => {
  for (const [name, distribution] of Object.entries(CASES)) {
    it(`has its stated mean and variance: ${name}`, ({ expect }) => {
      const { mean, variance } = sampled(distribution)
      // Four standard errors of the mean. Variances of heavy tails converge slowly: 10 %.
      const error = 4 * Math.sqrt(distribution.variance / COUNT)
      expect(Math.abs(mean - distribution.mean)).toBeLessThan(error)
      expect(Math.abs(variance / distribution.variance - 1)).toBeLessThan(0.1)
    })
  }

  it('always gives the same value if it is deterministic', ({ expect }) => {
    const { values } = sampled(deterministic({ value: 12 }))
    expect(new Set(values)).toEqual(new Set([12]))
  })

  it("has Pareto's tail: P(X > 2x) / P(X > x) = 2^−1.5 at every x, for a shape of 1.5", ({
    expect,
  }) => {
    const { values } = sampled(pareto({ mean: 30, shape: 1.5 })) // The smallest value is 10.
    const above = (x: number) => values.filter((value) => value > x).length / COUNT
    expect(values.every((value) => value >= 10)).toBe(true)
    for (const x of [10, 20, 40, 80]) {
      expect(Math.abs(above(2 * x) / above(x) - 2 ** -1.5)).toBeLessThan(0.02)
    }
  })

  it('states an infinite variance where it is infinite', ({ expect }) => {
    expect(pareto({ mean: 30, shape: 1.5 }).variance).toBe(Number.POSITIVE_INFINITY)
  })

  it('rejects empty data', ({ expect }) => {
    expect(() => fromData({ values: [] })).toThrow(/at least one value/)
  })
})
