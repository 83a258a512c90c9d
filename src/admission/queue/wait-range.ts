import type { QueuePlan } from '../../protocol/queue-plan.ts'

/** A wait from now, in seconds: most visitors enter within it. */
export interface WaitRange {
  readonly fromS: number
  readonly toS: number
}

/** From a call to its entry: half a refresh interval, and the way of the plan. */
const LAG_S = 3
/** A wait is not estimated beyond this. */
const LONGEST_S = 86_400

/**
 * Of N places before a visitor, `rate` enter and a part of `leaving` leaves per second: dN/dt = −rate − leaving · N. So
 * the visitor is at the front after ln(1 + leaving · N / rate) / leaving.
 */
export function expectedWaitS(ahead: number, rate: number, leaving: number): number {
  if (!(rate > 0)) return LONGEST_S
  const waitS = leaving > 1e-6 ? Math.log1p((leaving * ahead) / rate) / leaving : ahead / rate
  return Math.min(LONGEST_S, waitS) + LAG_S
}

export function rangeOf(
  ahead: number,
  plan: Pick<QueuePlan, 'rate' | 'leaving' | 'low' | 'high'> | null,
): WaitRange {
  if (plan === null) return { fromS: 0, toS: 2 * LAG_S }
  const waitS = expectedWaitS(ahead, plan.rate, plan.leaving)
  const fromS = rounded(waitS * plan.low)
  return { fromS, toS: Math.max(fromS + stepS(fromS), rounded(waitS * plan.high)) }
}

/** The width of a step as visitors see it: 5 s, and a minute from two minutes on. */
const stepS = (seconds: number): number => (seconds < 120 ? 5 : 60)

const rounded = (seconds: number): number => Math.round(seconds / stepS(seconds)) * stepS(seconds)
