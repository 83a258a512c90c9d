import { describe, it } from 'vitest'
import { knownAfter, surgeLimit } from '../../src/coordinator/known-arrivals.ts'

const after = (before: number | null, rate: number, seconds: number): number => {
  const known = before === null ? {} : { shop: before }
  return knownAfter(known, { shop: { rate, seconds: 1 } }, seconds).shop!
}

describe('the arrivals that a policy has judged', () => {
  it('start with what comes first', ({ expect }) => {
    expect(after(null, 40, 1)).toBe(40)
  })

  it('do not follow a surge: a tenfold one adds a fifth in ten seconds', ({ expect }) => {
    let known = 40
    for (let second = 0; second < 10; second++) known = after(known, 400, 1)
    expect(known).toBeCloseTo(40 * Math.exp(0.2), 9)
    expect(after(known, 400, 3600)).toBe(400)
  })

  it('follow slower changes exactly, and are forgotten slowly', ({ expect }) => {
    expect(after(40, 40.5, 1)).toBe(40.5)
    expect(after(40, 0, 10)).toBeCloseTo(40 * Math.exp(-0.1), 9)
  })

  it('are forgotten in a silence, and a surge that ends it is no more known than any other', ({
    expect,
  }) => {
    const { shop } = knownAfter({ shop: 40 }, { shop: { rate: 400, seconds: 1 } }, 1, 100)
    expect(shop).toBeCloseTo(40 * Math.exp(-1) * Math.exp(0.02), 9)
  })

  it('are at least 5/s: a quiet site has no surges', ({ expect }) => {
    expect(after(null, 0, 1)).toBe(5)
    expect(after(5, 0, 3600)).toBe(5)
  })
})

describe('the limit that stops a surge', () => {
  it('is 1.5 times what the probabilities admit of the known arrivals', ({ expect }) => {
    const classes = [
      { key: 'buyers', probability: 1, cost: 1 },
      { key: 'others', probability: 0.25, cost: 2 },
    ]
    expect(surgeLimit({ buyers: 10, others: 40 }, {}, classes)).toBe(1.5 * (10 + 0.25 * 40 * 2))
  })

  it('is 1.5 times the rates of a policy that has rates', ({ expect }) => {
    const classes = [{ key: 'others', probability: 0.01, cost: 1 }]
    expect(surgeLimit({ others: 40 }, { others: 20 }, classes)).toBe(30)
  })
})
