import type { Feedback } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { limitsOf } from '../protocol/plan-limits.ts'
import { AdmissionBudget, type Lent } from './admission-budget.ts'
import type { Borrower } from './lent-loads.ts'
import { limitCounts, NO_COUNTS } from './limit-counts.ts'

/** What the isolates of one data centre may admit of each limit of an origin. */
export class OriginBudgets {
  readonly #budgets = new Map<string, AdmissionBudget>()
  #plan: Plan | null = null

  /** A new plan, or new shares of the data centre: `shareOf` has them by the name of the limit. */
  follow(plan: Plan, shareOf: (limit: string) => number, nowMs: number): void {
    this.#plan = plan
    const limits = limitsOf(plan)
    for (const name of this.#budgets.keys()) if (!limits.has(name)) this.#budgets.delete(name)
    for (const [name, limit] of limits) {
      const budget = this.#budgets.get(name) ?? new AdmissionBudget()
      this.#budgets.set(name, budget)
      budget.follow(limit, shareOf(name), plan.calmMs, nowMs)
    }
  }

  /** A report shows what its sender has admitted with its leases or without them. */
  settle(feedback: Feedback, nowMs: number): void {
    if (this.#plan === null) return
    const counts = limitCounts(feedback, this.#plan)
    for (const [name, budget] of this.#budgets)
      budget.settle(feedback.sender, counts.get(name) ?? NO_COUNTS, nowMs)
  }

  lend(limit: string, borrower: Borrower, nowMs: number): Lent {
    return this.#budgets.get(limit)?.lend(borrower, nowMs) ?? {}
  }

  /** A draw has asked and found an admission at once, or has waited in vain. */
  asked(limit: string, isAtOnce: boolean): void {
    this.#budgets.get(limit)?.asked(isAtOnce)
  }
}
