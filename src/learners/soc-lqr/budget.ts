import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * Which part of the allowance may be spent in the mean, so that nearly every window keeps its promise? That depends on
 * how much windows differ: where the queue comes and goes within seconds all windows are alike and most
 * of the allowance can be used; where it takes minutes, hardly a third.
 */
export interface Budget {
  /** Spent and completed over about the last window. */
  readonly spent: number
  readonly completed: number
  /** Mean and mean square of what windows spend, in units of the allowance. */
  readonly mean: number
  readonly square: number
}

/** Before anything is known windows differ by 0.9 of their mean: with 2 deviations, 0.36 of the allowance. */
const VARIATION = 0.9
const LEAST = 0.3
const MOST = 0.7
/** For how many windows it is remembered how they differ. */
const MEMORY = 4
const LEAST_MEAN = 0.05

export const NO_BUDGET: Budget = {
  spent: 0,
  completed: 0,
  mean: 0.357,
  square: 0.357 ** 2 * (1 + VARIATION ** 2),
}

export const isBudget: StateSchema = object({
  spent: atLeastZero,
  completed: atLeastZero,
  mean: atLeastZero,
  square: atLeastZero,
})

export interface BudgetEvidence {
  readonly seconds: number
  readonly windowS: number
  readonly completed: number
  /** In units of the allowance. */
  readonly spent: number
}

export function observeBudget(budget: Budget, evidence: BudgetEvidence): Budget {
  const { seconds, windowS, completed } = evidence
  // An exponential memory of half the window varies as much as the window itself.
  const keep = Math.exp(-seconds / (windowS / 2))
  const spent = budget.spent * keep + evidence.spent * completed
  const all = budget.completed * keep + completed
  const window = all > 0 ? spent / all : 0
  const weight = 1 - Math.exp(-seconds / (MEMORY * windowS))
  return {
    spent,
    completed: all,
    mean: budget.mean + weight * (window - budget.mean),
    square: budget.square + weight * (window * window - budget.square),
  }
}

/** The part of the allowance to steer to: the mean and so many deviations are the allowance. */
export function aimOf({ mean, square }: Budget, deviations: number): number {
  const variation = Math.sqrt(Math.max(0, square - mean * mean)) / Math.max(mean, LEAST_MEAN)
  return Math.min(MOST, Math.max(LEAST, 1 / (1 + deviations * variation)))
}
