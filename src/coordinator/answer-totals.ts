import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge-reports.ts'
import { isApart } from './class-sla.ts'

/**
 * The cost of a class is a mean over this many answers. In a flash crowd the mix of paths changes within seconds, and an
 * origin that takes hundreds of requests a second shows the new mix within a tick.
 */
const MEMORY = 200

/** Answers of a class without the ignored, what they cost beyond 1 each, and the ignored. */
interface ClassAnswers {
  readonly answers: number
  readonly extra: number
  readonly ignored?: number
}

/** By class key: a plain JSON value. */
export type AnswerTotals = Readonly<Record<string, ClassAnswers>>

export const NO_ANSWERS: ClassAnswers = { answers: 0, extra: 0 }

/** Takes up the answers of a tick. */
export function answerTotalsAfter(
  before: AnswerTotals,
  { routes: setups }: Setup,
  routes: RoutesFeedback,
): AnswerTotals {
  const after: Record<string, ClassAnswers> = {}
  for (const setup of setups)
    for (const one of setup.classes) {
      // A class that is limited by itself is the unit of its own limit.
      if (isApart(setup, one)) continue
      const key = classKey(setup.name, one.name)
      const {
        served,
        ignoredServed,
        extraCost = 0,
      } = routes[setup.name]?.classes[one.name] ?? NO_CLASS_FEEDBACK
      const known = before[key] ?? NO_ANSWERS
      const answers = known.answers + Math.max(0, served - ignoredServed)
      const extra = known.extra + extraCost / 1000
      const ignored = (known.ignored ?? 0) + ignoredServed
      const kept = Math.min(1, MEMORY / answers)
      if (answers > 0)
        after[key] = { answers: kept * answers, extra: kept * extra, ignored: kept * ignored }
    }
  return after
}
