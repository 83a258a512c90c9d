import { describe, it } from 'vitest'
import { exponential, uniform } from '../../lab/engine/distributions.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { type Seconds, SeenAnswers, type SeenClass } from '../support/answers-seen.ts'

import { feedbackOf } from '../support/feedback.ts'

const around = (ms: number) => uniform({ from: ms / 2, to: 1.5 * ms })
const pages = (part: SeenClass['part']): SeenClass => ({ name: 'pages', service: around(20), part })
const searches = (part: SeenClass['part'], ms = 160): SeenClass => ({
  name: 'searches',
  service: around(ms),
  part,
})
/** The mean page takes 48 ms. */
const USUAL = [pages(0.8), searches(0.2)]
const COSTS = [20 / 48, 160 / 48] as const

/** A queue that moves between 50 and 250 ms, and one without any time to rest. */
const busy = (second: number) => 150 + 100 * Math.sin(second / 5)

function after(...parts: readonly (Partial<Seconds> & Pick<Seconds, 'seconds'>)[]): SeenAnswers {
  const seen = new SeenAnswers(['pages', 'searches'])
  for (const [i, part] of parts.entries()) seen.see({ classes: USUAL, seed: i + 1, ...part })
  return seen
}

const isNear = (cost: number | null | undefined, expected: number, within: number): boolean =>
  Math.abs((cost ?? Number.NaN) / expected - 1) < within

describe('what a class costs, learned by the coordinator', () => {
  it.for([1, 12, 100, 400])(
    'is right after half a minute at 100 answers/s in all, with %i senders',
    (senders, { expect }) => {
      for (const seed of [1, 2, 3]) {
        const { costs } = after({ seconds: 30, senders, seed })
        // 600 searches that vary by a third, and as many draws of the mix: three standard errors are 12 %.
        for (const [i, cost] of costs.entries()) expect(isNear(cost, COSTS[i]!, 0.15)).toBe(true)
      }
    },
  )

  it('is learned by a small site, too: half a minute at 5 answers/s', ({ expect }) => {
    for (const seed of [1, 2, 3]) {
      const [, ofSearch] = after({ seconds: 60, perSecond: 5, seed }).costs
      expect(isNear(ofSearch, COSTS[1], 0.4)).toBe(true)
    }
  })

  it('is exactly 1 for each class where all take equally long: in calm, with a queue, from far and near', ({
    expect,
  }) => {
    const service = exponential({ mean: 50 })
    // Visitors of the second class come from far away, most of them.
    const isFar = (sender: number) => sender % 2 === 1
    const wayMs = (sender: number) => (isFar(sender) ? 150 : 5)
    const part = (sender: number) => (isFar(sender) ? 0.1 : 0.9)
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
      for (const senders of [1, 100])
        for (const waitMs of [() => 0, busy])
          for (const skew of [{}, { wayMs, part }]) {
            const classes = [
              { name: 'pages', service, part: skew.part ?? 0.8 },
              { name: 'searches', service, part: 1 },
            ]
            const { costs } = after({ seconds: 60, classes, senders, waitMs, seed, ...skew })
            for (const cost of costs) expect(cost ?? 1).toBe(1)
          }
  })

  it('is found where those of the costly class come from near, and of the cheap one from far', ({
    expect,
  }) => {
    const wayMs = (sender: number) => (sender % 2 === 1 ? 140 : 0)
    const classes = [pages((sender) => (sender % 2 === 1 ? 0.9 : 0.1)), searches(1)]
    const [ofPage, ofSearch] = after({ seconds: 60, classes, wayMs, senders: 20 }).costs
    // Half of the answers are searches, and the mean page takes 70 ms more for its way: 20, 160 and 90 ms.
    expect(isNear(ofSearch, 230 / 160, 0.1)).toBe(true)
    expect(isNear(ofPage, 90 / 160, 0.1)).toBe(true)
  })

  it('does not change with a queue', ({ expect }) => {
    const seen = after({ seconds: 60 })
    const before = seen.costs
    seen.see({ classes: USUAL, seconds: 300, waitMs: busy, seed: 9 })
    for (const [i, cost] of seen.costs.entries()) expect(isNear(cost, before[i]!, 0.15)).toBe(true)
  })

  it('keeps its unit when the mix changes: after an hour of the old one, five minutes change it by 15 %', ({
    expect,
  }) => {
    const seen = after({ seconds: 3600, perSecond: 20 })
    seen.see({ classes: [pages(0.2), searches(0.8)], seconds: 300, seed: 9 })
    // The mean page of 60 minutes with 20 % and 5 with 80 % takes 55 ms instead of 48.
    expect(isNear(seen.costs[1], 160 / 55, 0.1)).toBe(true)
    // The level follows its low values, so what is small beside it is a little too small.
    expect(isNear(seen.costs[0], 20 / 55, 0.15)).toBe(true)
  })

  it('is the same if the isolates’ own costs tell of other pages in a class: nothing is counted twice', ({
    expect,
  }) => {
    const seen = after({ seconds: 120 })
    // Everybody who searches now asks for searches of twice the time, and the isolates know it.
    const costly = { ...searches(0.2, 320), extra: 1 }
    seen.see({ classes: [pages(0.8), costly], seconds: 120, seed: 9 })
    expect(isNear(seen.costs[1], COSTS[1], 0.1)).toBe(true)
  })

  it('is not changed much by a minute of slow pages that no isolate knows, after five ordinary minutes', ({
    expect,
  }) => {
    const seen = after({ seconds: 300 })
    const [before] = seen.costs
    // Old sessions of the class ask for as much as all others together, in calm, and each page takes ten times as long.
    const old = { ...pages(0.5), service: around(200) }
    seen.see({ classes: [old, pages(0.4), searches(0.1)], seconds: 60, perSecond: 200, seed: 9 })
    // The mean page of the class takes 120 ms, six times as long as before.
    expect(seen.costs[0]! / before!).toBeLessThan(3)
    expect(seen.costs[1]!).toBeGreaterThan(1.5)
  })

  it('decides the same after a restart, but for the answers of the last second', ({ expect }) => {
    const [straight, restarted] = [after({ seconds: 30 }), after({ seconds: 30 })]
    restarted.restart()
    for (const seen of [straight, restarted]) seen.see({ classes: USUAL, seconds: 10, seed: 5 })
    expect(restarted.times).toEqual(straight.times)
  })

  it('is not learned where one class is alone', ({ expect }) => {
    const alone = new SeenAnswers(['pages'])
    alone.see({ classes: [pages(1)], seconds: 10 })
    expect(alone.times).toEqual({})
    const { costs } = after({ seconds: 60, classes: [pages(1)] })
    expect(costs).toEqual([null, null])
  })
})

describe('the stored state', () => {
  const core = (stored?: unknown) => new CoordinatorCore(stored)

  it('keeps what classes cost, may be without it, and is refused if it is damaged', ({
    expect,
  }) => {
    const seen = after({ seconds: 30 })
    const first = core()
    first.handle(feedbackOf({}, { setup: seen.setup }), 1000)
    const state = { ...first.state!, classTimes: seen.times }
    const costIn = (stored: object) => core(stored).plan?.routes.shop?.classes.searches?.cost
    expect(isNear(costIn(state), COSTS[1], 0.15)).toBe(true)
    const { classTimes, ...older } = state
    expect(core(older).warning).toBeNull()
    expect(costIn(older)).toBe(1)
    const tier = classTimes.default!
    for (const damaged of [
      { ...tier, calmMs: -1 },
      { ...tier, classes: { 'shop/pages': { extraMs: 'much' } } },
    ])
      expect(core({ ...state, classTimes: { default: damaged } }).warning).not.toBeNull()
  })
})
