import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import type { RoutesFeedback } from '../protocol/merge-reports.ts'

/**
 * Admissions that each guarantee still has to give, by class key. Negative: it gave too many. Absent: none.
 *
 * The conforming probability of a plan comes from arrivals that are already past. Arrivals are noisy, and
 * E[1/X] is not 1/E[X]: without this correction a guarantee of 10/s out of 40/s gives 5 % too much.
 */
export type GuaranteeDebt = Readonly<Record<string, number>>

/** A class that does not use its guarantee may catch up on at most this many seconds of it. */
const MOST_UNUSED_S = 2
/** A class that got too much, in a surge that no plan knew of yet, gives back at most this many seconds. */
const MOST_EXCESS_S = 2
/** The debt is spread over this time. A plan needs about two seconds to show in the reports. */
const SETTLE_S = 3

/**
 * The debt after a tick. `elapsedMs` is the time since the tick before, by the clock. The time that reports
 * cover would be wrong here: a late report is counted once, whenever its admissions were.
 */
export function debtAfter(
  before: GuaranteeDebt,
  setup: Setup,
  routes: RoutesFeedback,
  elapsedMs: number,
): GuaranteeDebt {
  const lengthMs = Math.max(0, elapsedMs)
  const after: Record<string, number> = {}
  for (const { name: route, classes } of setup.routes)
    for (const { name, guaranteed } of classes) {
      if (!(guaranteed > 0)) continue
      const key = classKey(route, name)
      const { guaranteed: conforming = 0, byTicket = 0 } = routes[route]?.classes[name] ?? {}
      const debt = before[key] ?? 0
      // While visitors wait, the guarantee is a part of what the watermark lets in.
      const due = Math.max(0, (guaranteed * lengthMs) / 1000 + debt)
      const admitted = conforming + Math.min(byTicket, due)
      after[key] = classDebtAfter(debt, { guaranteed, admitted, lengthMs })
    }
  return after
}

/** `admitted` counts the admissions under the guarantee in this time. */
export function classDebtAfter(
  before: number,
  tick: { readonly guaranteed: number; readonly admitted: number; readonly lengthMs: number },
): number {
  const { guaranteed, admitted, lengthMs } = tick
  const debt = before + (guaranteed * lengthMs) / 1000 - admitted
  if (Number.isNaN(debt)) return 0
  return Math.min(MOST_UNUSED_S * guaranteed, Math.max(-MOST_EXCESS_S * guaranteed, debt))
}

/** Admissions per second to add to the guarantee, so that the debt is settled. */
export function settlingRate(debt: number): number {
  return debt / SETTLE_S
}
