import type { Plan } from './plan.ts'

/** Senders report so often, unless their receiver has told them to report more often. */
export const REPORT_EVERY_MS = 1000
/** Nobody reports more often than this. */
export const SHORTEST_EVERY_MS = 250
/** An object should get 200 messages a second at the most. In a crowd nearly as many questions of draws come on top of these. */
const MOST_PER_SECOND = 100

/**
 * How often a receiver wants reports: as often as it can take them, because a plan comes back only with an answer.
 * Absent: there is no plan yet, or it is calm, where isolates report by the plan.
 */
export function intervalFor(plan: Plan | null, senders: number): { readonly everyMs?: number } {
  if (plan === null || plan.calmMs !== undefined) return {}
  return { everyMs: boundedInterval(Math.round((1000 * senders) / MOST_PER_SECOND)) }
}

export const boundedInterval = (everyMs: number): number =>
  Math.min(REPORT_EVERY_MS, Math.max(SHORTEST_EVERY_MS, everyMs))
