import { describe, it } from 'vitest'
import { Brain } from '../../src/coordinator/coordinator-core.ts'
import { booksAfter } from '../../src/coordinator/guarantee-books.ts'
import { CLASS, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'

const VIP = { ...CLASS, name: 'vip', guaranteed: 10 }
const SETUP = setupOf({ routes: { shop: { classes: [VIP, CLASS] } } })

describe('the books of the guarantees', () => {
  const letIn = (guaranteed: number) => routesFeedback({ shop: { vip: { guaranteed } } })

  it('note what each class was promised and did not get: 10 − 7, then 10 − 12', ({ expect }) => {
    const first = booksAfter({}, SETUP, letIn(7), 1000)
    expect(first).toEqual({ 'shop/vip': 3 })
    expect(booksAfter(first, SETUP, letIn(12), 1000)).toEqual({ 'shop/vip': 1 })
  })

  it('run by the clock: half a second promises half as much, a clock set back nothing', ({
    expect,
  }) => {
    expect(booksAfter({}, SETUP, {}, 500)).toEqual({ 'shop/vip': 5 })
    expect(booksAfter({}, SETUP, {}, -3_600_000)).toEqual({ 'shop/vip': 0 })
  })

  it('owe no more than two seconds’ worth after a long silence', ({ expect }) => {
    expect(booksAfter({}, SETUP, {}, 86_400_000)).toEqual({ 'shop/vip': 20 })
  })

  it('forget classes that the setup no longer has', ({ expect }) => {
    expect(booksAfter({ 'shop/vip': 3 }, setupOf(), {}, 1000)).toEqual({})
  })
})

describe('the books in the coordinator', () => {
  /** Ticks of a second in which 40 vips ask and so many of them conform. */
  function brainAfter(conformed: readonly number[], stored?: unknown): Brain {
    const brain = new Brain(stored)
    for (const [i, guaranteed] of conformed.entries()) {
      const nowMs = (i + 1) * 1000
      const counts = { shop: { vip: { offered: 40, admitted: guaranteed, guaranteed } } }
      brain.report(feedbackOf(counts, { seq: i, toMs: nowMs, setup: SETUP }), nowMs)
      brain.tickIfDue(nowMs)
    }
    return brain
  }
  const conforming = (brain: Brain) => brain.plan!.routes.shop!.classes.vip!.conforming

  it('raise the part that conforms by a third of what is owed: (10 + 6/3) of 40', ({ expect }) => {
    const brain = brainAfter([7, 7])
    expect(brain.state!.owed).toEqual({ 'shop/vip': 6 })
    expect(conforming(brain)).toBeCloseTo(12 / 40)
  })

  it('lower it by what was too much: (10 − 6/3) of 40', ({ expect }) => {
    expect(conforming(brainAfter([13, 13]))).toBeCloseTo(8 / 40)
  })

  it('are kept over a restart', ({ expect }) => {
    const brain = brainAfter([7, 7])
    const again = new Brain(JSON.parse(JSON.stringify(brain.state)))
    expect(again.plan).toEqual(brain.plan)
  })

  it('start at nothing in a state that was stored without them', ({ expect }) => {
    const { owed, ...older } = brainAfter([7, 7]).state!
    expect(owed).toEqual({ 'shop/vip': 6 })
    const again = new Brain(older)
    expect(again.note).toBeNull()
    expect(conforming(again)).toBeCloseTo(10 / 40)
  })
})
