import type { Order } from '../config/config.ts'
import type { ClassPlan } from '../protocol/plan.ts'

/**
 * Who? Shares a limit out over the classes, most important first: the threshold of Cataclysm §3.3.
 *
 * (5)-(6) as they make sense: guaranteed traffic never comes to a draw, so only the excess max(0,
 * λ_j − λ_j^min) stands on the left, and only what of the guarantees is used, min(λ_j, λ_j^min), is
 * set aside. "1" is the limit, whatever it was learned in. The class at the threshold gets p = (C −
 * Σ_{j<i} λ_j s_j) / (λ_i s_i), the supremum of (6).
 */

export interface ClassDemand {
  readonly key: string
  /** What an admission is worth. Range: 0 or more. */
  readonly value: number
  /** λ^min: admissions per second that are always to be let in. */
  readonly guaranteed: number
  /**
   * Added to the guaranteed rate to settle what ticks before gave too little or too much: see
   * owed.ts.
   */
  readonly owedRate?: number
  /** λ: how many asked per second. */
  readonly arrivals: number
  /** s: load per admission, in the unit of the limit. */
  readonly cost: number
}

export interface AllocationDemand {
  /** Load per second; null: no limit. */
  readonly limit: number | null
  /** `value` is the paper's. `density` is value per load, which earns more where classes differ in cost. */
  readonly order: Order
  readonly classes: readonly ClassDemand[]
}

export interface Allocation {
  readonly classes: Readonly<Record<string, ClassPlan>>
  /** Load per second left for draws once guarantees are served; null: no limit. */
  readonly drawLimit: number | null
  /** Load per second beyond the guarantees: what asks for a draw. */
  readonly offered: number
  /** The guarantees use up the whole limit: they are served all the same, and nothing else is. */
  readonly overcommitted: boolean
}

/** Far above any rate, and far below where sums and products stop being finite. */
const LARGEST = 1e15

export function allocate({ limit, order, classes }: AllocationDemand): Allocation {
  const demands = classes.map((given) => soundDemand(given, order))
  const reserved = sum(demands, (d) => d.within * d.cost)
  const offered = sum(demands, (d) => d.excess * d.cost)
  // A limit that is not a number is one that nobody has learned: better open than shut.
  const drawLimit = limit !== null && limit < LARGEST ? Math.max(0, limit - reserved) : null

  const plans: [string, ClassPlan][] = []
  let left = drawLimit ?? Number.POSITIVE_INFINITY
  for (const [rank, tied] of byImportance(demands).entries()) {
    const load = sum(tied, (d) => d.excess * d.cost)
    const probability = marginalShare(left, load)
    // Exactly nothing is left below the threshold, whatever rounding would say.
    left = probability < 1 ? 0 : left - load
    for (const { key, guaranteed, conforming, cost } of tied)
      plans.push([key, { probability, guaranteed, conforming, cost, rank }])
  }
  return {
    classes: Object.fromEntries(plans),
    drawLimit,
    offered,
    overcommitted: drawLimit === 0 && reserved > 0,
  }
}

/**
 * A class that nobody asked for yet gets what its first request would find: all, while room is
 * left.
 */
function marginalShare(left: number, load: number): number {
  if (left <= 0) return 0
  return load <= left ? 1 : left / load
}

interface SoundDemand {
  readonly key: string
  readonly importance: number
  readonly guaranteed: number
  /** Arrivals per second under the guarantee, and beyond it. */
  readonly within: number
  readonly excess: number
  readonly conforming: number
  readonly cost: number
}

function soundDemand(given: ClassDemand, order: Order): SoundDemand {
  const value = sound(given.value)
  const guaranteed = sound(given.guaranteed)
  const due = guaranteed > 0 ? sound(guaranteed + (given.owedRate || 0)) : 0
  const arrivals = sound(given.arrivals)
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

function sound(given: number): number {
  return given > 0 ? Math.min(given, LARGEST) : 0
}

/**
 * Classes of equal importance stand together and share what is left in proportion to their demand.
 */
function byImportance(demands: readonly SoundDemand[]): SoundDemand[][] {
  const groups = new Map<number, SoundDemand[]>()
  for (const demand of demands) {
    const group = groups.get(demand.importance)
    if (group) group.push(demand)
    else groups.set(demand.importance, [demand])
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, group]) => group)
}

function sum(demands: readonly SoundDemand[], of: (demand: SoundDemand) => number): number {
  let total = 0
  for (const demand of demands) total += of(demand)
  return total
}
