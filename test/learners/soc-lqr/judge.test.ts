import { describe, it } from 'vitest'
import { addTick, isFull, NO_INTERVAL } from '../../../src/learners/soc-lqr/interval.ts'
import { judge } from '../../../src/learners/soc-lqr/judge.ts'
import { tickOf } from '../../../src/learners/soc-lqr/tick.ts'
import type { Tier } from '../../../src/learners/soc-lqr/tiers.ts'
import { interval, SAMPLE, TIER } from '../../support/plant-s-tier.ts'
import { tick, times } from '../../support/samples.ts'

describe('an interval of all tiers', () => {
  const POOL = { meanS: 1, slackS: 2, targetS: 5, windowS: 300, variation: 1 }
  const second = tickOf(tick({ timesMs: times(20, 1000) }))

  it('is full with 100 completions, 30 while nothing is known, and never within one tick', ({
    expect,
  }) => {
    const full = (ticks: number, known: boolean) => {
      let so = NO_INTERVAL
      for (let n = 0; n < ticks; n++) so = addTick(so, second, 0)
      return isFull(so, second, known)
    }
    expect([full(4, true), full(5, true), full(1, false), full(2, false)]).toEqual([
      false,
      true,
      false,
      true,
    ])
    const large = addTick(NO_INTERVAL, { ...second, completed: 5000 }, 0)
    expect(isFull(large, second, true)).toBe(false)
  })

  it('is judged by the tier that is worst: 0.4 and 3 of the allowance are 3', ({ expect }) => {
    const tiers = [interval(1.2, 2), { ...interval(2, 15), name: 'search' }]
    const samples = [SAMPLE, { ...SAMPLE, name: 'search' }]
    const so = { seconds: 10, requests: 210, completed: 200, vanished: 0 }
    const { verdict } = judge(tiers, samples, so, POOL, { aim: 0.35, pilingS: 0 })
    expect(verdict.spent).toBeCloseTo(3, 9)
    expect(verdict.queueing).toBeCloseTo(1 / 1.00213, 4)
    expect(verdict.load).toBe(21)
  })

  it('is certain of queueing beyond one deviation of its mean: 1 · √(1/100)/(W/2) = 0.1 less', ({
    expect,
  }) => {
    const so = { seconds: 5, requests: 100, completed: 100, vanished: 0 }
    const of = (pilingS: number) =>
      judge([interval(1.5, 0)], [SAMPLE], so, POOL, { aim: 0.35, pilingS }).verdict
    expect(of(0).queueing - of(0).certainQueueing).toBeCloseTo(0.1, 9)
    // What piles up already, 2 s, is twice W/2, ahead of the response times.
    expect(of(2).certainQueueing).toBe(2)
  })

  it('leaves a tier alone that had fewer than 30 completions, and judges it when it has had them', ({
    expect,
  }) => {
    const rare = (completed: number): Tier => ({
      ...TIER,
      name: 'rare',
      completed,
      late: completed,
    })
    const samples = [SAMPLE, { ...SAMPLE, name: 'rare' }]
    const so = { seconds: 50, requests: 1000, completed: 1000, vanished: 0 }
    const spent = (completed: number) =>
      judge([interval(1, 2), rare(completed)], samples, so, POOL, { aim: 0.35, pilingS: 0 })
    expect(spent(29).verdict.spent).toBeCloseTo(0.4, 9)
    expect(spent(29).tiers[1]!.completed).toBe(29)
    expect(spent(30).verdict.spent).toBeCloseTo(20, 9)
  })
})
