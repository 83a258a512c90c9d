import type { Order } from '../config/config.ts'
import type { ClassPlan } from '../protocol/plan.ts'

/**
 * Shares the limit out over the classes, most important first: the threshold policy of Urgaonkar and Shenoy
 * (2005, §3.3, eq. 5 and 6), with two changes. Guaranteed requests are never drawn, so the left side has only
 * the excess max(0, λ_j − λ_j^min). And only the used part of the guarantees, min(λ_j, λ_j^min), is set aside.
 * The limit stands for the paper's capacity "1". The class at the threshold gets
 * p = (C − Σ_{j<i} λ_j s_j) / (λ_i s_i), the supremum of (6).
 *
 * The paper orders classes by value. The order `density` is by value per load, which earns more where classes
 * differ in cost.
 */

export interface ClassDemand {
  readonly key: string
  /** Value of one admission. Range: 0 or more. */
  readonly value: number
  /** λ^min: admissions per second that the class always gets. */
  readonly guaranteed: number
  /** Added to the guaranteed rate, to settle what earlier ticks gave too little or too much: guarantee-debt.ts. */
  readonly settlingRate?: number
  /** λ: requests for a decision per second. */
  readonly arrivals: number
  /** s: load per admission, in the unit of the limit. */
  readonly cost: number
}

interface AllocationDemand {
  /** Load per second; null: no limit. */
  readonly limit: number | null
  /** `value` is the paper's. `density` is value per load, which earns more where classes differ in cost. */
  readonly order: Order
  readonly classes: readonly ClassDemand[]
}

export interface Allocation {
  readonly classes: Readonly<Record<string, ClassPlan>>
  /** Load per second that is left for draws after the guarantees; null: no limit. */
  readonly drawLimit: number | null
  /** The guarantees use up the whole limit. They are kept, and no other request is admitted. */
  readonly overcommitted: boolean
}

/** Above any real rate. Sums and products of such numbers are still finite. */
const LARGEST = 1e15

export function allocate({ limit, order, classes }: AllocationDemand): Allocation {
  const demands = classes.map((given) => checkedDemand(given, order))
  const reserved = sum(demands, (d) => d.within * d.cost)
  // NaN counts as no limit: an open gate is better than a closed one.
  const drawLimit = limit !== null && limit < LARGEST ? Math.max(0, limit - reserved) : null

  const plans: [string, ClassPlan][] = []
  let left = drawLimit ?? Number.POSITIVE_INFINITY
  for (const [rank, tied] of byImportance(demands).entries()) {
    const load = sum(tied, (d) => d.excess * d.cost)
    const probability = marginalShare(left, load)
    // Below the threshold exactly 0 is left, whatever the rounding.
    left = probability < 1 ? 0 : left - load
    for (const { key, guaranteed, conforming, cost } of tied)
      plans.push([key, { probability, guaranteed, conforming, cost, rank }])
  }
  return {
    classes: Object.fromEntries(plans),
    drawLimit,
    overcommitted: drawLimit === 0 && reserved > 0,
  }
}

/** A class without arrivals gets 1 while load is left, so that its first request is let in. */
function marginalShare(left: number, load: number): number {
  if (left <= 0) return 0
  return load <= left ? 1 : left / load
}

/** A demand with numbers that are finite and at least 0. */
interface CheckedDemand {
  readonly key: string
  readonly importance: number
  readonly guaranteed: number
  /** Arrivals per second under the guarantee, and beyond it. */
  readonly within: number
  readonly excess: number
  readonly conforming: number
  readonly cost: number
}

function checkedDemand(given: ClassDemand, order: Order): CheckedDemand {
  const value = bounded(given.value)
  const guaranteed = bounded(given.guaranteed)
  const due = guaranteed > 0 ? bounded(guaranteed + (given.settlingRate || 0)) : 0
  const arrivals = bounded(given.arrivals)
  const cost = given.cost >= 0 ? Math.min(given.cost, LARGEST) : 1
  return {
    key: given.key,
    importance: order === 'value' ? value : cost > 0 ? value / cost : Number.POSITIVE_INFINITY,
    guaranteed,
    within: Math.min(arrivals, due),
    excess: Math.max(0, arrivals - due),
    conforming: arrivals > due ? due / arrivals : due > 0 ? 1 : 0,
    cost,
  }
}

function bounded(given: number): number {
  return given > 0 ? Math.min(given, LARGEST) : 0
}

/** Classes of equal importance form one group, which shares what is left in proportion to demand. */
function byImportance(demands: readonly CheckedDemand[]): CheckedDemand[][] {
  const groups = new Map<number, CheckedDemand[]>()
  for (const demand of demands) {
    const group = groups.get(demand.importance)
    if (group) group.push(demand)
    else groups.set(demand.importance, [demand])
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, group]) => group)
}

function sum(demands: readonly CheckedDemand[], of: (demand: CheckedDemand) => number): number {
  let total = 0
  for (const demand of demands) total += of(demand)
  return total
}
