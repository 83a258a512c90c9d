import { describe, it } from 'vitest'
import { limitCounts } from '../../src/coordinator/limit-counts.ts'
import { SlotBudget } from '../../src/coordinator/slot-budget.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { SHARED } from '../../src/protocol/plan-limits.ts'
import { feedbackOf } from '../support/feedback.ts'
import { planOf } from '../support/requests.ts'

const PLAN = planOf({ inFlightCap: 12 })

/** An isolate reports what it has in flight, and requests that took 50 ms. */
const report = (sender: string, inFlight: number, served = 0) =>
  feedbackOf({ shop: { default: { inFlight, served, latencyUs: served * 50_000 } } }, { sender })

function settle(budget: SlotBudget, feedback: Feedback, nowMs: number): void {
  budget.settle(feedback.sender, limitCounts(feedback, PLAN).get(SHARED)!, nowMs)
}

function budgetOf(cap: number): SlotBudget {
  const budget = new SlotBudget()
  budget.follow(cap, 0)
  return budget
}

/** Draws ask every 5 ms. A slot that is lent is used for 50 ms, and its end is reported. Returns the mean level. */
function meanLevel(budget: SlotBudget, seconds: number, lost = 0): number {
  const ends: { readonly sender: string; readonly atMs: number }[] = []
  let taken = 0
  let ended = 0
  for (let ms = 0; ms < seconds * 1000; ms += 5) {
    while (ends.length > 0 && ends[0]!.atMs <= ms) {
      const { sender } = ends.shift()!
      if (lost === 0 || ended++ % lost !== 0) settle(budget, report(sender, 0, 1), ms)
    }
    if (!budget.hasRoom(ms)) continue
    const sender = `isolate ${ms}`
    budget.lend(sender, ms)
    taken++
    ends.push({ sender, atMs: ms + 50 })
  }
  return (taken * 50) / (seconds * 1000)
}

describe('the slots of a data centre', () => {
  it('are as many as its part of the cap: whole ones, and a fraction for a part of the time', ({
    expect,
  }) => {
    for (const cap of [0.2, 1, 2.5, 4]) {
      const level = meanLevel(budgetOf(cap), 60)
      expect(level).toBeGreaterThan(0.9 * cap)
      expect(level).toBeLessThan(1.1 * cap)
    }
  })

  it('come back if the end of a request is never reported', ({ expect }) => {
    const level = meanLevel(budgetOf(4), 60, 10)
    expect(level).toBeGreaterThan(3.2)
    expect(level).toBeLessThan(4.4)
  })

  it('count what isolates have in flight without having asked', ({ expect }) => {
    const budget = budgetOf(4)
    for (let i = 0; i < 5; i++) settle(budget, report(`isolate ${i}`, 1), 100)
    expect(budget.hasRoom(100)).toBe(false)
    settle(budget, report('isolate 0', 0, 1), 200)
    settle(budget, report('isolate 1', 0, 1), 200)
    expect(budget.hasRoom(200)).toBe(true)
  })

  it('are not needed in calm, and are needed as soon as the level is far above the cap', ({
    expect,
  }) => {
    const budget = budgetOf(10)
    for (let ms = 0; ms < 20_000; ms += 100) {
      settle(budget, report(`isolate ${ms % 1000}`, ms % 300 === 0 ? 1 : 0), ms)
      expect(budget.isTight(100, ms)).toBe(false)
    }
    for (let i = 0; i < 30; i++) settle(budget, report(`isolate ${i}`, 1), 20_000)
    expect(budget.isTight(100, 20_000)).toBe(true)
  })

  it('are needed where requests take up the cap, even if no report shows one in flight', ({
    expect,
  }) => {
    // Isolates with few visitors report when the next one comes, and have nothing in flight at that moment.
    const filled = (perSecond: number): boolean => {
      const budget = budgetOf(10)
      for (let ms = 0; ms < 20_000; ms += 100)
        settle(budget, report(`isolate ${ms}`, 0, perSecond / 10), ms)
      return budget.isTight(1000, 20_000)
    }
    // 50 ms each: 200 of them a second are ten in flight.
    expect(filled(200)).toBe(true)
    expect(filled(50)).toBe(false)
  })

  it('stay needed while draws are refused that did not ask', ({ expect }) => {
    const budget = budgetOf(2)
    for (let i = 0; i < 30; i++) settle(budget, report(`isolate ${i}`, 1), 0)
    expect(budget.isTight(1000, 0)).toBe(true)
    expect(budget.isAsked).toBe(true)
    for (let i = 0; i < 30; i++) settle(budget, report(`isolate ${i}`, 0), 1000)
    expect(budget.isTight(1000, 30_000)).toBe(true)
    expect(budget.isTight(1, 30_000)).toBe(false)
  })

  it('are not lent one by one where that would be too many messages', ({ expect }) => {
    const busy = budgetOf(12)
    settle(busy, report('a', 1, 100), 100)
    expect(busy.isAsked).toBe(false)
    const quiet = budgetOf(3)
    settle(quiet, report('a', 1, 100), 100)
    expect(quiet.isAsked).toBe(true)
  })
})
