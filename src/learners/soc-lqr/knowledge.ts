import { atLeastZero, flag, object, type StateSchema } from '../../lib/state-schema.ts'
import type { CapacityEvent } from '../learner-interface.ts'
import { capacityRatio } from '../sample.ts'
import { type Budget, isBudget, NO_BUDGET } from './budget.ts'
import { believedRate, type Capacity, isCapacity, NO_CAPACITY, scaleCapacity } from './capacity.ts'
import { type Growth, isGrowth, NO_GROWTH, scaleGrowth } from './growth.ts'
import { type InFlight, isInFlight, NO_CAP, scaleCaps } from './in-flight.ts'
import { ceilingOf, isMemory, type Memory, NO_MEMORY } from './memory.ts'
import { isProbe, NO_PROBE, type Probe, probedLoad } from './probe.ts'
import { loadPart } from './trim.ts'

/** All that is known of what the origin can take. */
export interface Knowledge {
  readonly capacity: Capacity
  readonly growth: Growth
  readonly probe: Probe
  /** κ */
  readonly headroom: number
  readonly budget: Budget
  readonly memory: Memory
  readonly inFlight: InFlight
  /** The capacity changed, and what was admitted before is still there. */
  readonly settling: boolean
}

export function nothingKnown(headroom: number): Knowledge {
  return {
    capacity: NO_CAPACITY,
    growth: NO_GROWTH,
    probe: NO_PROBE,
    headroom,
    budget: NO_BUDGET,
    memory: NO_MEMORY,
    inFlight: NO_CAP,
    settling: false,
  }
}

export const isKnowledge: StateSchema = object({
  capacity: isCapacity,
  growth: isGrowth,
  probe: isProbe,
  headroom: atLeastZero,
  budget: isBudget,
  memory: isMemory,
  inFlight: isInFlight,
  settling: flag,
})

/** The operating point as a part of the capacity: κ says how close, SOC's curve how close at the most. */
export function operatingPart(
  { headroom, memory }: Knowledge,
  capacity: number,
  slackS: number,
  floor: number,
): number {
  const ceiling = Math.max(floor, ceilingOf(memory))
  return Math.min(ceiling, loadPart(headroom, capacity, slackS, floor))
}

/** How many times the present capacity was once well known. */
export function rememberedPart({ capacity }: Knowledge): number {
  return capacity.best / (capacity.rate ?? Number.POSITIVE_INFINITY)
}

/** L: requests per second that the origin may get. */
export function allowedLoad(knowledge: Knowledge, slackS: number, floor: number): number {
  const capacity = believedRate(knowledge.capacity)
  if (capacity === null) return knowledge.growth.load
  const part = operatingPart(knowledge, capacity, slackS, floor)
  return Math.max(part, probedLoad(knowledge.probe, rememberedPart(knowledge))) * capacity
}

/**
 * Announced: knowledge scales by ρ (Bartolini et al. 2009, §5.3); the curve is in units of the capacity and stays.
 */
export function announced(
  knowledge: Knowledge,
  events: readonly CapacityEvent[],
): { readonly knowledge: Knowledge; readonly ratio: number } {
  const ratio = capacityRatio(events)
  if (ratio === 1 || !Number.isFinite(ratio) || ratio <= 0) return { knowledge, ratio: 1 }
  return {
    ratio,
    knowledge: {
      ...knowledge,
      capacity: scaleCapacity(knowledge.capacity, ratio),
      growth: scaleGrowth(knowledge.growth, ratio),
      inFlight: scaleCaps(knowledge.inFlight, ratio),
      settling: true,
    },
  }
}
