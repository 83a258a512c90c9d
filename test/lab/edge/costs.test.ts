import { describe, it } from 'vitest'
import { COSTS_CASES, costsFigure } from '../../../lab/edge/costs.ts'

const caseOf = (name: string) => COSTS_CASES.find((one) => one.name === name)!

/**
 * The mix of cheap and costly answers changes in an overload. Seeds differ in their share by 0.03, and by 0.005 in the late
 * part.
 */
describe('load by learned cost, in overload', () => {
  it('serves more sessions in time where their classes differ than load by count does', async ({
    expect,
  }) => {
    const differ = caseOf('sessions, classes differ')
    let more = 0
    for (const seed of [1, 2, 3]) {
      const learned = await costsFigure(differ, { isolates: 1, countsAlike: false, seed })
      const alike = await costsFigure(differ, { isolates: 1, countsAlike: true, seed })
      more += (learned.share - alike.share) / 3
      expect(learned.share).toBeGreaterThan(0.9)
      expect(learned.lateShare).toBeLessThan(0.01)
      expect(learned.windowsMissed).toBe(0)
      expect(learned.lateShare).toBeLessThan(alike.lateShare)
    }
    expect(more).toBeGreaterThan(0.01)
  })

  it('uses the origin as well where only paths differ, and pages are few among searches', async ({
    expect,
  }) => {
    const paths = caseOf('requests, paths differ')
    for (const isolates of [1, 12]) {
      const figure = await costsFigure(paths, { isolates, countsAlike: false, seed: 1 })
      expect(figure.share).toBeGreaterThan(0.95)
      expect(figure.lateShare).toBeLessThan(0.01)
    }
  })

  it('admits a costly class as often as a cheap one of equal value, so the share is no more than 1', async ({
    expect,
  }) => {
    for (const name of ['requests, classes differ', 'sessions, classes differ']) {
      const figure = await costsFigure(caseOf(name), { isolates: 12, countsAlike: false, seed: 1 })
      // The capacity is that of the mix that comes. More cheap answers than came would make it 1.1 to 1.7.
      expect(figure.share).toBeLessThan(1.03)
      expect(figure.share).toBeGreaterThan(0.9)
    }
  })

  it('knows after half a minute what classes cost, behind 100 isolates that see one answer a second each', async ({
    expect,
  }) => {
    const differ = caseOf('requests, classes differ')
    const figure = await costsFigure(differ, { isolates: 100, countsAlike: false, seed: 1 })
    // 160 ms, and 48 ms in the mean. Half a minute has some 500 searches.
    expect(Math.abs(figure.searchCost / (160 / 48) - 1)).toBeLessThan(0.15)
    expect(figure.share).toBeGreaterThan(0.95)
    expect(figure.share).toBeLessThan(1.03)
    expect(figure.lateShare).toBeLessThan(0.01)
  })
})
