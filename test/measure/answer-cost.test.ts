import { describe, it } from 'vitest'
import { type Distribution, exponential, uniform } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { AnswerCosts } from '../../src/measure/answer-cost.ts'

interface Kind {
  readonly path: string | ((i: number) => string)
  readonly service: Distribution
  /** Of 100 answers. */
  readonly part: number
  /** @default true */
  readonly isTypical?: boolean
}

const around = (ms: number) => uniform({ from: ms / 2, to: 1.5 * ms })
const page = (part: number): Kind => ({ path: '/', service: around(20), part })
const search = (part: number, times = 8): Kind => ({
  path: '/search',
  service: around(20 * times),
  part,
})

const calm = () => 0
/** A queue that moves between 50 and 250 ms, over some 300 answers. */
const busy = (i: number) => 150 + 100 * Math.sin(i / 50)

interface Load {
  readonly answers?: number
  readonly waitMs?: (i: number) => number
  readonly seed?: number
}

/** The costs that the last tenth of the answers had in the mean, by kind. `waitMs`: of answer i, whatever its kind. */
function costsOf(
  costs: AnswerCosts,
  kinds: readonly Kind[],
  { answers = 20_000, waitMs = calm, seed = 1 }: Load = {},
): number[] {
  const random = streams(seed)('answers')
  const ends = kinds.map((_, i) => kinds.slice(0, i + 1).reduce((sum, { part }) => sum + part, 0))
  const sums = kinds.map(() => ({ cost: 0, answers: 0 }))
  for (let i = 0; i < answers; i++) {
    const drawn = random.next() * ends.at(-1)!
    const index = ends.findIndex((end) => drawn < end)
    const { path, service, isTypical = true } = kinds[index]!
    const key = typeof path === 'string' ? path : path(i)
    const cost = costs.observe(key, 'seldom', waitMs(i) + service.draw(random), isTypical)
    if (i < 0.9 * answers) continue
    sums[index]!.cost += cost
    sums[index]!.answers++
  }
  return sums.map(({ cost, answers }) => cost / answers)
}

describe('the cost of an answer, where 1 is the mean page', () => {
  it('is exactly 1 for each answer where all paths take equally long, with and without a queue', ({
    expect,
  }) => {
    for (const ms of [5, 50, 500])
      for (const seed of [1, 2, 3, 4, 5]) {
        const costs = new AnswerCosts()
        const service = exponential({ mean: ms })
        const kinds = [
          { path: '/a', service, part: 60 },
          { path: '/b', service, part: 30 },
          { path: (i: number) => `/c/${i}`, service, part: 10 },
        ]
        for (const waitMs of [calm, busy])
          expect(costsOf(costs, kinds, { answers: 5000, waitMs, seed })).toEqual([1, 1, 1])
      }
  })

  it('is the service time over the mean one: with a fifth of searches that take k times as long, k / (0.8 + 0.2 k)', ({
    expect,
  }) => {
    for (const times of [3, 8, 20]) {
      const [ofPage = 0, ofSearch = 0] = costsOf(new AnswerCosts(), [page(80), search(20, times)])
      const mean = 0.8 + 0.2 * times
      // The mean of 512 answers whose service varies by half is off by 3 % at one standard error, and so is the unit.
      expect(Math.abs(ofSearch / (times / mean) - 1)).toBeLessThan(0.1)
      expect(Math.abs(ofPage / (1 / mean) - 1)).toBeLessThan(0.2)
    }
  })

  it('makes the usual mix cost as many pages as it has answers', ({ expect }) => {
    const [ofPage = 0, ofSearch = 0] = costsOf(new AnswerCosts(), [page(80), search(20)])
    expect(Math.abs(0.8 * ofPage + 0.2 * ofSearch - 1)).toBeLessThan(0.05)
  })

  it('does not change with a queue in which all wait alike', ({ expect }) => {
    const costs = new AnswerCosts()
    const kinds = [page(80), search(20)]
    const before = costsOf(costs, kinds)
    const after = costsOf(costs, kinds, { waitMs: busy })
    for (const [i, cost] of after.entries())
      expect(Math.abs(cost / before[i]! - 1)).toBeLessThan(0.15)
  })

  it('does not change with the mix: where 80 instead of 20 % search, a search costs what it did', ({
    expect,
  }) => {
    const costs = new AnswerCosts()
    // So long that the unit, a mean over 65,536 answers, hardly moves afterwards.
    const [, before = 0] = costsOf(costs, [page(80), search(20)], { answers: 60_000 })
    const [, after = 0] = costsOf(costs, [page(20), search(80)], { answers: 4000 })
    expect(Math.abs(after / before - 1)).toBeLessThan(0.1)
  })

  it('is learned with a queue where there was no calm', ({ expect }) => {
    const [, ofSearch = 0] = costsOf(new AnswerCosts(), [page(80), search(20)], { waitMs: busy })
    // The queue of 50 ms at the least is part of the unit: (160 + 50) / (48 + 50) = 2.1 instead of 3.3.
    expect(ofSearch).toBeGreaterThan(1.7)
    expect(ofSearch).toBeLessThan(3.3)
  })

  it('is 1 as long as a difference may be chance: some 20 searches, and three standard errors of exponential service', ({
    expect,
  }) => {
    const service = exponential({ mean: 50 })
    const kinds = [
      { path: '/', service, part: 98 },
      { path: '/search', service, part: 2 },
    ]
    const seeds = Array.from({ length: 200 }, (_, i) => i + 1)
    const wrong = seeds.filter((seed) => {
      const costs = new AnswerCosts()
      costsOf(costs, kinds, { answers: 1000, seed })
      return (costs.costOf('/search') ?? 1) !== 1
    })
    // Their mean is off by more than a quarter in 26 % of the runs, and by more than three standard errors in 1 %.
    expect(wrong.length).toBeLessThanOrEqual(4)
  })

  it('is 1 for a difference of less than a quarter of the mean page', ({ expect }) => {
    const kinds = [page(50), search(50, 1.3)]
    // 20 and 26 ms, 13 % below and above the mean.
    expect(costsOf(new AnswerCosts(), kinds, { answers: 50_000 })).toEqual([1, 1])
  })

  it('cannot be changed by old sessions: their answers do not say what a page costs', ({
    expect,
  }) => {
    const costs = new AnswerCosts()
    const [, before = 0] = costsOf(costs, [page(80), search(20)])
    const tiny = { path: '/tiny', service: around(2), part: 1000, isTypical: false }
    const [, after = 0, ofTiny = 1] = costsOf(costs, [page(80), search(20), tiny])
    expect(Math.abs(after / before - 1)).toBeLessThan(0.1)
    expect(ofTiny).toBeLessThan(0.1)
  })

  it('is that of all seldom paths for a seldom path', ({ expect }) => {
    const seldom = { path: (i: number) => `/product/${i}`, service: around(100), part: 20 }
    const [, cost = 0] = costsOf(new AnswerCosts(), [page(80), seldom], { answers: 50_000 })
    // 100 ms, and 36 ms in the mean.
    expect(Math.abs(cost / (100 / 36) - 1)).toBeLessThan(0.15)
  })

  it('is kept for a bounded number of paths: those that are seen once push out no other', ({
    expect,
  }) => {
    const costs = new AnswerCosts()
    costsOf(costs, [page(80), search(20)])
    for (let i = 0; i < 5000; i++) costs.observe(`/once/${i}`, 'seldom', 20, true)
    expect(costs.costOf('/search')).toBeGreaterThan(2)
    for (let i = 0; i < 10_000; i++) costs.observe(`/twice/${i >> 1}`, 'seldom', 20, true)
    expect(costs.costOf('/search')).toBeNull()
  })
})
