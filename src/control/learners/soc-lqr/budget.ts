/**
 * Which part of the allowance may be spent in the mean, so that nearly every window keeps its promise? That depends on
 * how much windows differ: where the queue comes and goes within seconds all windows are alike and most
 * of the allowance can be used; where it takes minutes, hardly a third.
 */
export interface Budget {
  /** Late and completed over about the last window. */
  readonly late: number
  readonly completed: number
  /** Mean and mean square of what windows spend, in units of the allowance. */
  readonly mean: number
  readonly square: number
}

/** Windows differ by 0.9 of their mean before anything is known: a third of the allowance. */
const VARIATION = 0.9
const LEAST = 0.3
const MOST = 0.7
/** As long a memory, in windows, for how they differ. */
const MEMORY = 4
/** Of a normal distribution 98 in 100 are below the mean and twice the deviation. */
const CERTAIN = 2

export const NO_BUDGET: Budget = {
  late: 0,
  completed: 0,
  mean: 1 / (1 + CERTAIN * VARIATION),
  square: (1 + VARIATION ** 2) / (1 + CERTAIN * VARIATION) ** 2,
}

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
  const late = budget.late * keep + evidence.spent * completed
  const all = budget.completed * keep + completed
  const window = late / all
  const weight = 1 - Math.exp(-seconds / (MEMORY * windowS))
  return {
    late,
    completed: all,
    mean: budget.mean + weight * (window - budget.mean),
    square: budget.square + weight * (window * window - budget.square),
  }
}

/** The part of the allowance to steer to. */
export function aimOf({ mean, square }: Budget): number {
  const variation = Math.sqrt(Math.max(0, square - mean * mean)) / Math.max(mean, 0.05)
  return Math.min(MOST, Math.max(LEAST, 1 / (1 + CERTAIN * variation)))
}
