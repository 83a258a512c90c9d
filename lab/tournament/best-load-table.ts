import { clairvoyantRequests, clairvoyantSessions } from '../gate/clairvoyant.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import table from './best-loads.json' with { type: 'json' }
import { clairvoyantByClass, type Demand } from './class-clairvoyant.ts'

/** What a clairvoyant holds: the best load at each capacity that was tried, and what it keeps free. */
export interface BestLoads {
  /** Ascending by capacity; between two of them in a straight line, beyond them in proportion. */
  readonly loads: readonly (readonly [capacity: number, load: number])[]
  /** How much a class leaves free of what the more valuable ones ask for; 0 where there is one class. */
  readonly reserve: number
}

/** Found by trying: `npm run lab -- best-loads` writes the file anew. */
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

/** Of one class, or of several with their demand. */
export function clairvoyantOf(
  granularity: 'session' | 'request',
  best: BestLoads,
  demand?: Demand,
): PolicyFactory {
  const most = (capacity: number) => loadAt(best, capacity)
  if (demand !== undefined) return clairvoyantByClass(granularity, most, best.reserve, demand)
  return granularity === 'session' ? clairvoyantSessions(most) : clairvoyantRequests(most)
}
