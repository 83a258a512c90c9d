import type { Sla } from '../config/config.ts'

/** A target is left again only when the rate is clearly below the one from which it holds. */
const HYSTERESIS = 0.9

/**
 * Which target of an SLA's table is in force (Cataclysm, Table 1): the last whose rate is reached.
 * `current` is the one in force so far.
 */
export function targetIndex(sla: Sla, rate: number, current: number): number {
  let index = 0
  for (const [i, { fromRate }] of sla.targets.entries()) {
    const reached = rate >= fromRate
    const kept = i <= current && rate >= fromRate * HYSTERESIS
    if (reached || kept) index = i
  }
  return index
}
