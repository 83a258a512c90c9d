import fc from 'fast-check'
import { describe, it } from 'vitest'
import { AdmissionBudget } from '../../src/coordinator/admission-budget.ts'
import { limitCounts } from '../../src/coordinator/limit-counts.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { limitsOf, SHARED } from '../../src/protocol/plan-limits.ts'
import { feedbackOf } from '../support/feedback.ts'
import { planOf } from '../support/requests.ts'

const report = (sender: string, admitted: number) =>
  feedbackOf({ shop: { default: { offered: admitted, admitted } } }, { sender })

/** One that gets whole plans and reports. */
class Budget extends AdmissionBudget {
  #plan = planOf()

  followPlan(plan: Plan): void {
    this.#plan = plan
    this.follow(limitsOf(plan).get(SHARED)!, 1, plan.calmMs, 0)
  }

  settleReport(feedback: Feedback, nowMs: number): void {
    this.settle(feedback.sender, limitCounts(feedback, this.#plan).get(SHARED)!, nowMs)
  }
}

const planned = (drawLimit: number, probability: number) =>
  planOf({ drawLimit, classes: { default: { probability } } })

describe('the budget of a data centre', () => {
  it('lends in advance what the limit allows, whoever uses it: 20 isolates, 30 s', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 600, maxLength: 600 }),
        (luck) => {
          const budget = new Budget()
          budget.followPlan(planned(40, 0.1))
          const lent = new Map<string, number>()
          let used = 0
          for (let turn = 0; turn < 600; turn++) {
            const nowMs = turn * 50
            const sender = `isolate ${turn % 20}`
            // Some use all of their lease, some nothing.
            const spent = luck[turn]! < 0.7 ? (lent.get(sender) ?? 0) : 0
            used += spent
            budget.settleReport(report(sender, spent), nowMs)
            lent.set(sender, budget.lend({ sender, part: 0.05, draws: 20 }, nowMs).lease!.load)
          }
          // 40/s for 30 s, and the depth of the budget.
          expect(used).toBeLessThanOrEqual(40 * 30 + 56)
          expect(used).toBeGreaterThan(40 * 30 * 0.8)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('takes back what was lent to isolates that have died: 40/s are used by those that live', ({
    expect,
  }) => {
    const budget = new Budget()
    budget.followPlan(planned(40, 0.1))
    const lent = new Map<string, number>()
    let used = 0
    for (let turn = 0; turn < 1200; turn++) {
      const nowMs = turn * 50
      const sender = `isolate ${turn % 20}`
      const spent = lent.get(sender) ?? 0
      if (nowMs >= 10_000) used += spent
      budget.settleReport(report(sender, spent), nowMs)
      lent.set(sender, budget.lend({ sender, part: 0.05, draws: 20 }, nowMs).lease!.load)
      // It is answered once, and never heard of again.
      budget.lend({ sender: `dead ${turn}`, part: 0.05, draws: 20 }, nowMs)
    }
    expect(used / 50).toBeGreaterThan(0.9 * 40)
    expect(used / 50).toBeLessThanOrEqual(40)
  })

  it('lends single admissions where a class costs more than one, because it is admitted on credit', ({
    expect,
  }) => {
    const classes = {
      pages: { probability: 0.1, cost: 0.5 },
      searches: { probability: 0.1, cost: 3 },
    }
    const budget = new Budget()
    budget.followPlan(planOf({ drawLimit: 40, classes }))
    const lent = Array.from(
      { length: 20 },
      (_, i) => budget.lend({ sender: `isolate ${i}`, part: 0.02, draws: 20 }, 0).lease!.load,
    )
    // A fiftieth of 40/s and the depth of the budget is one, and not a third of three.
    for (const load of lent) expect(Number.isInteger(load)).toBe(true)
    for (const load of lent) expect(load).toBeLessThan(6)
    expect(lent.filter((load) => load > 0).length).toBeGreaterThan(15)
  })

  it('lends more where leases stay unused, and never more than the limit allows', ({ expect }) => {
    const lentIn = (seconds: number, isUsed: boolean) => {
      const budget = new Budget()
      budget.followPlan(planned(200, 0.1))
      const lent = new Map<string, number>()
      let used = 0
      let last = 0
      for (let turn = 0; turn < seconds * 100; turn++) {
        const nowMs = turn * 10
        const sender = `isolate ${turn % 100}`
        const spent = isUsed ? (lent.get(sender) ?? 0) : 0
        used += spent
        budget.settleReport(report(sender, spent), nowMs)
        const load = budget.lend({ sender, part: 0.01, draws: 5 }, nowMs).lease!.load
        lent.set(sender, load)
        if (turn >= (seconds - 1) * 100) last += load
      }
      return { used, last }
    }
    // Nobody uses a lease: in a second they are more than twice the limit, so that whoever has a visitor finds one.
    expect(lentIn(20, false).last).toBeGreaterThan(2 * 200)
    // Everybody does: 200/s, and the depth of the budget.
    expect(lentIn(20, true).used).toBeLessThanOrEqual(20 * 200 + 232)
  })

  it('gives a draw that asks an admission at once, where another class is let in as a whole', ({
    expect,
  }) => {
    const budget = new Budget()
    const classes = { gold: { probability: 1 }, bronze: { probability: 0.1 } }
    budget.followPlan(planOf({ drawLimit: 200, classes }))
    const gold = { shop: { gold: { offered: 5, admitted: 5 } } }
    budget.settleReport(feedbackOf(gold, { sender: 'one' }), 100)
    const asking = { sender: 'two', part: 0.003, draws: 1, wants: true }
    const loads = Array.from({ length: 10 }, () => budget.lend(asking, 200).lease!.load)
    for (const load of loads) expect(load).toBeGreaterThanOrEqual(1)
    // With too many questions the best class is held by the lease, too, and nobody asks.
    expect(budget.lend(asking, 200).lease!.holds).toBe('drawn')
    expect(budget.lend({ ...asking, asks: 121 }, 200).lease!.holds).toBe('all')
  })

  it('gives one admission to each draw that asks, if the limit is small: 4/s in 30 s', ({
    expect,
  }) => {
    const budget = new Budget()
    budget.followPlan(planned(4, 0.1))
    let admitted = 0
    for (let turn = 0; turn < 600; turn++) {
      const borrower = { sender: `isolate ${turn}`, part: 0.002, draws: 0.1, wants: true }
      const { load, asks } = budget.lend(borrower, turn * 50).lease!
      expect(asks).toBeGreaterThanOrEqual(2)
      admitted += load
      if (load > 0) budget.settleReport(report(borrower.sender, load), turn * 50 + 20)
    }
    // The depth of the budget is 4 + 2 √4 + 3, and it was full.
    expect(admitted).toBe(4 * 30 + 11 - 1)
    // A report without a question gets nothing: admissions that lie about are missing elsewhere.
    expect(budget.lend({ sender: 'b', part: 0.01, draws: 1 }, 60_000).lease!.load).toBe(0)
  })

  it('lets more draws ask while admissions stay unused, as they do where answers are lost', ({
    expect,
  }) => {
    const budget = new Budget()
    budget.followPlan(planned(4, 0.1))
    const asksAt = (nowMs: number, wants: boolean): number =>
      budget.lend({ sender: `at ${nowMs}`, part: 0.002, draws: 0.1, wants }, nowMs).lease!.asks!
    const whenFull = asksAt(0, false)
    for (let ms = 1; ms <= 11; ms++) asksAt(ms, true)
    const whenEmpty = asksAt(12, false)
    expect(whenEmpty).toBe(2)
    expect(whenFull).toBeGreaterThan(2 * whenEmpty)
  })

  it('lends one by one where an isolate admits less than one in two seconds, up to 120 per second in all', ({
    expect,
  }) => {
    const isOneByOne = (limit: number, isolates: number): boolean => {
      const budget = new Budget()
      budget.followPlan(planned(limit, 0.1))
      const draws = (10 * limit) / isolates
      return budget.lend({ sender: 'a', part: 1 / isolates, draws }, 0).lease?.asks !== undefined
    }
    expect(isOneByOne(80, 350)).toBe(true)
    expect(isOneByOne(80, 20)).toBe(false)
    expect(isOneByOne(200, 1000)).toBe(false)
    expect(isOneByOne(10, 20)).toBe(true)
  })

  it('holds nobody while the limit is not needed: who has used the lease asks', ({ expect }) => {
    const budget = new Budget()
    budget.followPlan(planned(10, 1))
    for (let second = 0; second < 60; second++) {
      const lease = budget.lend({ sender: 'a', part: 0.3, draws: 3 }, second * 1000).lease!
      expect(lease.holds).toBe('asks')
      expect(lease.load).toBeGreaterThanOrEqual(1)
      budget.settleReport(report('a', 3), second * 1000 + 900)
    }
  })

  it('lends no less where isolates are kept from asking: nobody is refused for that', ({
    expect,
  }) => {
    const budget = new Budget()
    budget.followPlan(planned(300, 1))
    for (let turn = 0; turn < 3000; turn++) {
      const sender = `isolate ${turn % 1000}`
      const lease = budget.lend({ sender, part: 1e-3, draws: 0.2, asks: 41 }, turn * 5).lease!
      expect(lease).toMatchObject({ load: 1, holds: 'all' })
      budget.settleReport(report(sender, turn % 5 === 0 ? 1 : 0), turn * 5 + 1)
    }
  })

  it('lets as many draws ask for a slot as find one, however few the plan lets in', ({
    expect,
  }) => {
    const budget = new Budget()
    budget.followPlan(
      planOf({ drawLimit: 1, inFlightCap: 1, classes: { default: { probability: 0.001 } } }),
    )
    const full = feedbackOf({ shop: { default: { inFlight: 6 } } }, { sender: 'b' })
    budget.settleReport(full, 0)
    const { lease } = budget.lend({ sender: 'a', part: 0.01, draws: 2, allDraws: 1000 }, 1)
    // With a probability of 1 in 1000, one draw a second would ask.
    expect(lease!.asks).toBeGreaterThan(10)
  })

  it('leaves the part of the cap to an isolate that is alone in its data centre', ({ expect }) => {
    const lentTo = (part: number) => {
      const budget = new Budget()
      const plan = planOf({ drawLimit: 100, inFlightCap: 4 })
      budget.follow({ ...limitsOf(plan).get(SHARED)! }, 0.2, undefined, 0)
      budget.settleReport(feedbackOf({ shop: { default: { inFlight: 9 } } }, { sender: 'b' }), 0)
      return budget.lend({ sender: 'a', part, draws: 5 }, 1)
    }
    expect(lentTo(1).slots?.mean).toBeCloseTo(0.8, 9)
    expect(lentTo(1).lease?.reportsEnds).toBeUndefined()
    expect(lentTo(0.5).lease?.reportsEnds).toBe(true)
  })

  it('shows a surge that the plan does not know of, and holds all classes then', ({ expect }) => {
    const budget = new Budget()
    budget.followPlan(planned(10, 1))
    for (let i = 0; i < 10; i++) budget.settleReport(report(`isolate ${i}`, 10), 100)
    const { holds, load } = budget.lend({ sender: 'a', part: 0.1, draws: 10 }, 100).lease!
    expect([holds, load]).toEqual(['all', 0])
  })

  it('gives a newborn one admission, and no more than there is', ({ expect }) => {
    const budget = new Budget()
    budget.followPlan(planned(2, 1))
    let admissions = 0
    for (let i = 0; i < 100; i++)
      admissions += budget.lend({ sender: `new ${i}`, part: 0.01, draws: null }, 0).lease!.load
    expect(admissions).toBeGreaterThan(3)
    // A second of the limit, and the chance of calm: 2 + 2 √2 + 3.
    expect(admissions).toBeLessThan(8)
  })

  it('takes a wave of newborns for a surge, before any of them has drawn', ({ expect }) => {
    const budget = new Budget()
    budget.followPlan(planned(50, 1))
    const lease = (i: number) =>
      budget.lend({ sender: `new ${i}`, part: 0.005, draws: null }, 0).lease!
    expect(lease(0).holds).toBe('asks')
    for (let i = 1; i < 100; i++) lease(i)
    expect(lease(100).holds).toBe('all')
  })

  it('lends nothing to an isolate that is large enough to enforce its share', ({ expect }) => {
    const budget = new Budget()
    budget.followPlan(planned(100, 0.5))
    expect(budget.lend({ sender: 'a', part: 0.5, draws: 100 }, 0)).toEqual({})
    expect(budget.lend({ sender: 'b', part: 0.01, draws: 2 }, 0).lease).toBeDefined()
  })
})
