import fc from 'fast-check'
import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { classDebtAfter, debtAfter, settlingRate } from '../../src/coordinator/guarantee-debt.ts'
import { CLASS, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'

const VIP = { ...CLASS, name: 'vip', guaranteed: 10 }
const SETUP = setupOf({ routes: { shop: { classes: [VIP, CLASS] } } })
const SECOND = { guaranteed: 10, lengthMs: 1000 }

describe('the debt of one guarantee', () => {
  it('is what was guaranteed minus what was admitted: 10 − 7 after a second', ({ expect }) => {
    expect(classDebtAfter(0, { ...SECOND, admitted: 7 })).toBe(3)
    expect(classDebtAfter(3, { ...SECOND, admitted: 12 })).toBe(1)
    expect(classDebtAfter(0, { guaranteed: 10, lengthMs: 500, admitted: 7 })).toBe(-2)
  })

  it('is settled over three seconds', ({ expect }) => {
    expect(settlingRate(6)).toBe(2)
  })

  it('is at most two seconds of the guarantee after an hour without requests', ({ expect }) => {
    expect(classDebtAfter(0, { guaranteed: 10, lengthMs: 3_600_000, admitted: 0 })).toBe(20)
  })

  it('takes back at most two thirds of the guarantee, however large the surge was', ({
    expect,
  }) => {
    const tick = fc.record({
      guaranteed: fc.double({ min: 0, max: 1000, noNaN: true }),
      admitted: fc.nat(100_000),
      lengthMs: fc.integer({ min: 1, max: 60_000 }),
    })
    fc.assert(
      fc.property(fc.double({ noNaN: true }), tick, (before, last) => {
        const debt = classDebtAfter(before, last)
        const rate = last.guaranteed + settlingRate(debt)
        expect(rate).toBeGreaterThanOrEqual(last.guaranteed / 3 - 1e-9)
        expect(debt).toBeLessThanOrEqual(2 * last.guaranteed)
      }),
    )
  })

  it('is 0 again after NaN', ({ expect }) => {
    expect(classDebtAfter(Number.NaN, { ...SECOND, admitted: 7 })).toBe(0)
    expect(classDebtAfter(1, { ...SECOND, admitted: Number.NaN })).toBe(0)
  })
})

describe('the debt of all guarantees', () => {
  const admitted = (guaranteed: number) => routesFeedback({ shop: { vip: { guaranteed } } })

  it('adds up what each class did not get: 10 − 7, then 10 − 12', ({ expect }) => {
    const first = debtAfter({}, SETUP, admitted(7), 1000)
    expect(first).toEqual({ 'shop/vip': 3 })
    expect(debtAfter(first, SETUP, admitted(12), 1000)).toEqual({ 'shop/vip': 1 })
  })

  it('grows by the clock: half in half a second, nothing if the clock is set back', ({
    expect,
  }) => {
    expect(debtAfter({}, SETUP, {}, 500)).toEqual({ 'shop/vip': 5 })
    expect(debtAfter({}, SETUP, {}, -3_600_000)).toEqual({ 'shop/vip': 0 })
  })

  it('is at most two seconds of the guarantee after a day without reports', ({ expect }) => {
    expect(debtAfter({}, SETUP, {}, 86_400_000)).toEqual({ 'shop/vip': 20 })
  })

  it('drops classes that are no longer in the setup', ({ expect }) => {
    expect(debtAfter({ 'shop/vip': 3 }, setupOf(), {}, 1000)).toEqual({})
  })
})

describe('the debt in the coordinator', () => {
  /** Ticks of a second in which 40 requests of the class ask, and this many are admitted under the guarantee. */
  function coreAfter(admitted: readonly number[]): CoordinatorCore {
    const core = new CoordinatorCore()
    for (const [i, guaranteed] of admitted.entries()) {
      const nowMs = (i + 1) * 1000
      const counts = { shop: { vip: { offered: 40, admitted: guaranteed, guaranteed } } }
      core.handle(feedbackOf(counts, { seq: i, toMs: nowMs, setup: SETUP }), nowMs)
    }
    return core
  }
  const conforming = (core: CoordinatorCore) => core.plan!.routes.shop!.classes.vip!.conforming

  it('raises the conforming part by a third of the debt: (10 + 6/3) of 40', ({ expect }) => {
    const core = coreAfter([7, 7])
    expect(core.state!.guaranteeDebt).toEqual({ 'shop/vip': 6 })
    expect(conforming(core)).toBeCloseTo(12 / 40)
  })

  it('lowers it if too many were admitted: (10 − 6/3) of 40', ({ expect }) => {
    expect(conforming(coreAfter([13, 13]))).toBeCloseTo(8 / 40)
  })

  it('survives a restart', ({ expect }) => {
    const core = coreAfter([7, 7])
    const restarted = new CoordinatorCore(JSON.parse(JSON.stringify(core.state)))
    expect(restarted.plan).toEqual(core.plan)
  })

  it('starts at 0 if the stored state does not have it', ({ expect }) => {
    const { guaranteeDebt, ...older } = coreAfter([7, 7]).state!
    expect(guaranteeDebt).toEqual({ 'shop/vip': 6 })
    const restarted = new CoordinatorCore(older)
    expect(restarted.warning).toBeNull()
    expect(conforming(restarted)).toBeCloseTo(10 / 40)
  })
})
