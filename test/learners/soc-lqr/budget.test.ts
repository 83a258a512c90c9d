import { describe, it } from 'vitest'
import {
  aimOf,
  type Budget,
  NO_BUDGET,
  observeBudget,
} from '../../../src/learners/soc-lqr/budget.ts'

/** Windows of 60 s, of which each spends so much of its allowance; an interval every 5 s. */
function windows(spentOf: (window: number) => number, count: number): Budget {
  let budget = NO_BUDGET
  for (let n = 0; n < 12 * count; n++) {
    const spent = spentOf(Math.floor(n / 12))
    budget = observeBudget(budget, { seconds: 5, windowS: 60, completed: 100, spent })
  }
  return budget
}

describe('what a window may spend, so that nearly every window keeps its promise (SLA by window)', () => {
  it('is 1/(1 + 2 · 0.9) = 0.357 of the allowance before windows were seen', ({ expect }) => {
    expect(aimOf(NO_BUDGET, 2)).toBeCloseTo(1 / 2.8, 9)
  })

  it('is most of it, 0.7, where all windows are alike', ({ expect }) => {
    const budget = windows(() => 0.4, 60)
    expect(budget.mean).toBeCloseTo(0.4, 3)
    expect(aimOf(budget, 2)).toBe(0.7)
  })

  it('is 1/(1 + 2 σ/μ) of what windows differ by: σ = 0.4 μ gives 0.556', ({ expect }) => {
    const budget: Budget = { ...NO_BUDGET, mean: 0.5, square: 0.25 * (1 + 0.16) }
    expect(aimOf(budget, 2)).toBeCloseTo(1 / 1.8, 9)
    expect(aimOf(budget, 0)).toBe(0.7)
  })

  it('is little, 0.3, where one window in five spends nearly all', ({ expect }) => {
    expect(
      aimOf(
        windows((n) => (n % 5 === 0 ? 1.5 : 0), 60),
        2,
      ),
    ).toBe(0.3)
  })

  it('counts requests, not intervals: 900 that spent 0 and 100 that spent 5 have spent 0.5', ({
    expect,
  }) => {
    const first = observeBudget(
      { ...NO_BUDGET, mean: 0, square: 0 },
      { seconds: 1e-9, windowS: 60, completed: 900, spent: 0 },
    )
    const both = observeBudget(first, { seconds: 1e-9, windowS: 60, completed: 100, spent: 5 })
    expect(both.spent / both.completed).toBeCloseTo(0.5, 6)
  })
})
