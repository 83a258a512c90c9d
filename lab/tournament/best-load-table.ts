import { clairvoyantRequests, clairvoyantSessions } from '../gate/clairvoyant.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import table from './best-loads.json' with { type: 'json' }
import { clairvoyantByClass, type Demand } from './class-clairvoyant.ts'

/**
 * The loads that a clairvoyant keeps: the best load at each capacity that was tried, and what it
 * keeps free.
 */
export interface BestLoads {
  /** Ascending by capacity; interpolated linearly between entries, proportional beyond them. */
  readonly loads: readonly (readonly [capacity: number, load: number])[]
  /**
   * How much a class leaves free, relative to the demand of more valuable classes; 0 with one
   * class.
   */
  readonly reserve: number
}

/** Found by search: `npm run lab -- best-loads` writes the file. */
const TABLE: Readonly<Record<string, unknown>> = table

export function bestLoadsOf(name: string): BestLoads {
  const found = TABLE[name]
  if (found === undefined) throw new RangeError(`best-loads.json has no line for "${name}"`)
  return found as BestLoads
}

export function loadAt({ loads }: BestLoads, capacity: number): number {
  const above = loads.findIndex(([known]) => known >= capacity)
  if (above <= 0) {
    const [known, load] = loads.at(above)!
    return known === capacity ? load : (load * capacity) / known
  }
  const [low, lowLoad] = loads[above - 1]!
  const [high, highLoad] = loads[above]!
  return lowLoad + ((capacity - low) * (highLoad - lowLoad)) / (high - low)
}

/** For one class, or for several with their demand. */
export function clairvoyantOf(
  granularity: 'session' | 'request',
  best: BestLoads,
  demand?: Demand,
): PolicyFactory {
  const most = (capacity: number) => loadAt(best, capacity)
  if (demand !== undefined) return clairvoyantByClass(granularity, most, best.reserve, demand)
  return granularity === 'session' ? clairvoyantSessions(most) : clairvoyantRequests(most)
}
