import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { debtAfter } from '../../src/coordinator/guarantee-books.ts'
import { CLASS, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'

const VIP = { ...CLASS, name: 'vip', guaranteed: 10 }
const SETUP = setupOf({ routes: { shop: { classes: [VIP, CLASS] } } })

describe('the books of the guarantees', () => {
  const letIn = (guaranteed: number) => routesFeedback({ shop: { vip: { guaranteed } } })

  it('note what each class was promised and did not get: 10 − 7, then 10 − 12', ({ expect }) => {
    const first = debtAfter({}, SETUP, letIn(7), 1000)
    expect(first).toEqual({ 'shop/vip': 3 })
    expect(debtAfter(first, SETUP, letIn(12), 1000)).toEqual({ 'shop/vip': 1 })
  })

  it('run by the clock: half a second promises half as much, a clock set back nothing', ({
    expect,
  }) => {
    expect(debtAfter({}, SETUP, {}, 500)).toEqual({ 'shop/vip': 5 })
    expect(debtAfter({}, SETUP, {}, -3_600_000)).toEqual({ 'shop/vip': 0 })
  })

  it('owe no more than two seconds’ worth after a long silence', ({ expect }) => {
    expect(debtAfter({}, SETUP, {}, 86_400_000)).toEqual({ 'shop/vip': 20 })
  })

  it('forget classes that the setup no longer has', ({ expect }) => {
    expect(debtAfter({ 'shop/vip': 3 }, setupOf(), {}, 1000)).toEqual({})
  })
})

describe('the books in the coordinator', () => {
  /** Ticks of a second in which 40 vips ask and so many of them conform. */
  function brainAfter(conformed: readonly number[], stored?: unknown): CoordinatorCore {
    const core = new CoordinatorCore(stored)
    for (const [i, guaranteed] of conformed.entries()) {
      const nowMs = (i + 1) * 1000
      const counts = { shop: { vip: { offered: 40, admitted: guaranteed, guaranteed } } }
      core.report(feedbackOf(counts, { seq: i, toMs: nowMs, setup: SETUP }), nowMs)
      core.tickIfDue(nowMs)
    }
    return core
  }
  const conforming = (core: CoordinatorCore) => core.plan!.routes.shop!.classes.vip!.conforming

  it('raise the part that conforms by a third of what is owed: (10 + 6/3) of 40', ({ expect }) => {
    const core = brainAfter([7, 7])
    expect(core.state!.owed).toEqual({ 'shop/vip': 6 })
    expect(conforming(core)).toBeCloseTo(12 / 40)
  })

  it('lower it by what was too much: (10 − 6/3) of 40', ({ expect }) => {
    expect(conforming(brainAfter([13, 13]))).toBeCloseTo(8 / 40)
  })

  it('are kept over a restart', ({ expect }) => {
    const core = brainAfter([7, 7])
    const again = new CoordinatorCore(JSON.parse(JSON.stringify(core.state)))
    expect(again.plan).toEqual(core.plan)
  })

  it('start at nothing in a state that was stored without them', ({ expect }) => {
    const { owed, ...older } = brainAfter([7, 7]).state!
    expect(owed).toEqual({ 'shop/vip': 6 })
    const again = new CoordinatorCore(older)
    expect(again.note).toBeNull()
    expect(conforming(again)).toBeCloseTo(10 / 40)
  })
})
