import type { Setup } from '../protocol/feedback.ts'
import type { RoutesFeedback } from '../protocol/merge.ts'
import { classKey } from './build-sample.ts'
import { owedAfter } from './guarantee-debt.ts'

/** Admissions that each guarantee is owed, by class key; a class that is not there is owed nothing. */
export type GuaranteeDebt = Readonly<Record<string, number>>

/**
 * The books of all guarantees after a tick. A promise runs by the clock, from tick to tick, and not by the
 * time that reports cover: what comes in between two ticks was let in at some time, and is booked once.
 */
export function debtAfter(
  books: GuaranteeDebt,
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
      const conformed = routes[route]?.classes[name]?.guaranteed ?? 0
      after[key] = owedAfter(books[key] ?? 0, { guaranteed, conformed, lengthMs })
    }
  return after
}
