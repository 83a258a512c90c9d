import { describe, it } from 'vitest'
import { targetIndex } from '../../src/coordinator/sla-target.ts'

const SLA = {
  percentile: 95,
  windowMs: 300_000,
  targets: [
    { fromRate: 0, targetMs: 1000 },
    { fromRate: 50, targetMs: 2000 },
    { fromRate: 100, targetMs: 3000 },
  ],
}

/** Applies the rates in order, and returns the row in force after each. */
const rows = (rates: readonly number[], start = 0): number[] => {
  let row = start
  return rates.map((rate) => {
    row = targetIndex(SLA, rate, row)
    return row
  })
}

describe('an SLA by arrival rate (Urgaonkar and Shenoy 2005, Table 1)', () => {
  it('uses the last row with a rate that is reached', ({ expect }) => {
    expect(rows([0, 49.9, 50, 99.9, 100, 1e6])).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('leaves a row only when the rate is a tenth below: 45 of 50, 90 of 100', ({ expect }) => {
    expect(rows([50, 49, 45, 44.9, 49, 50])).toEqual([1, 1, 1, 0, 0, 1])
    expect(rows([100, 95, 90, 89.9, 95])).toEqual([2, 2, 2, 1, 1])
  })

  it('may fall by several rows at once', ({ expect }) => {
    expect(rows([200, 0])).toEqual([2, 0])
    expect(rows([200, 46])).toEqual([2, 1])
  })

  it('does not switch back and forth when the rate goes from 48 to 52 and back', ({ expect }) => {
    const flutter = Array.from({ length: 20 }, (_, i) => (i % 2 ? 48 : 52))
    expect(new Set(rows(flutter))).toEqual(new Set([1]))
  })

  it('works if the row in force is no longer in the table', ({ expect }) => {
    expect(targetIndex(SLA, 10, 7)).toBe(0)
    expect(targetIndex({ ...SLA, targets: SLA.targets.slice(0, 1) }, 500, 2)).toBe(0)
  })
})
