import type { Sla } from '../config/config.ts'

/** A target stays in force until the rate falls below this part of the rate at which it starts. */
const HYSTERESIS = 0.9

/**
 * The index of the target in force in an SLA's table (Urgaonkar and Shenoy 2005, Table 1): the last one with a
 * rate that is reached. `current` is the index so far.
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

/** Of several SLAs that the same servers must keep, the one with the lowest target in force at this rate. */
export function strictestAt<One extends Sla>(slas: readonly One[], rate: number): One {
  return slas.reduce((a, b) => (targetMsAt(b, rate) < targetMsAt(a, rate) ? b : a))
}

export const targetMsAt = (sla: Sla, rate: number): number =>
  sla.targets[targetIndex(sla, rate, 0)]!.targetMs
