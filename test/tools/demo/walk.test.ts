import { describe, it } from 'vitest'
import {
  CLASS_OF,
  meanDemandsMs,
  PAGE_KINDS,
  pageAt,
  RELATIVE_DEMAND,
} from '../../../tools/demo/pages.ts'
import {
  drawWalk,
  expectedVisits,
  LONGEST_WALK,
  NEXT,
  PAGES_PER_WALK,
} from '../../../tools/demo/walk.ts'
import { coinsOf } from '../../../tools/random.ts'

describe('a visitor’s walk through the demo shop', () => {
  it('has 5.9 pages on average: 1 home, 1.2 searches, 2.9 products, 0.6 carts, 0.3 checkouts', ({
    expect,
  }) => {
    // By hand: s = .4375 + .25 p, p = (.6 + .65 s) / (.52 − .05), c = .2 p, k = .6 c.
    const visits = expectedVisits()
    expect(visits.home).toBe(1)
    expect(visits.product).toBeCloseTo(2.876, 2)
    expect(visits.search).toBeCloseTo(1.156, 2)
    expect(visits.cart).toBeCloseTo(0.575, 2)
    expect(visits.checkout).toBeCloseTo(0.345, 2)
    expect(PAGES_PER_WALK).toBeCloseTo(5.95, 2)
  })

  it('matches the expectation over 20 000 draws', ({ expect }) => {
    const coin = coinsOf(7, 'walks')
    const seen = { home: 0, search: 0, product: 0, cart: 0, checkout: 0 }
    for (let i = 0; i < 20_000; i++) for (const page of drawWalk(coin)) seen[page]++
    const visits = expectedVisits()
    // A page's count varies by less than 3 per walk: the mean of 20 000 by 0.02. The tolerance is
    // four times that.
    for (const kind of PAGE_KINDS)
      expect(Math.abs(seen[kind] / 20_000 - visits[kind])).toBeLessThan(0.08)
  })

  it('starts at home and ends, for any random numbers', ({ expect }) => {
    expect(drawWalk(() => 0)).toHaveLength(LONGEST_WALK)
    expect(drawWalk(() => 0.999_999)).toEqual(['home'])
  })

  it('never has probabilities above 1 in total', ({ expect }) => {
    for (const steps of Object.values(NEXT))
      expect(steps.reduce((sum, [, probability]) => sum + probability, 0)).toBeLessThanOrEqual(1)
  })
})

describe('the demo shop’s pages', () => {
  it('take the mean service time on average over a walk, each in its proportion', ({ expect }) => {
    const visits = expectedVisits()
    const demands = meanDemandsMs(40, visits)
    const demandMs = PAGE_KINDS.reduce((sum, kind) => sum + visits[kind] * demands[kind], 0)
    expect(demandMs / PAGES_PER_WALK).toBeCloseTo(40, 9)
    expect(demands.checkout / demands.home).toBeCloseTo(
      RELATIVE_DEMAND.checkout / RELATIVE_DEMAND.home,
      9,
    )
  })

  it('are recognised by their paths, and nothing else is a page', ({ expect }) => {
    const paths = ['/', '/search', '/product/3', '/cart', '/checkout']
    expect(paths.map(pageAt)).toEqual(['home', 'search', 'product', 'cart', 'checkout'])
    for (const path of ['/health', '/product/', '/product/x', '/product/1/2', '/Cart', ''])
      expect(pageAt(path)).toBeNull()
  })

  it('are browsing, except cart and checkout', ({ expect }) => {
    expect(PAGE_KINDS.map((kind) => CLASS_OF[kind])).toEqual([
      'browse',
      'browse',
      'browse',
      'cart',
      'checkout',
    ])
  })
})
