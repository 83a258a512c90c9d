import { classKey } from '../protocol/class-key.ts'
import type { Feedback } from '../protocol/feedback.ts'
import type { ClassPlan, Plan } from '../protocol/plan.ts'
import { limitName } from '../protocol/plan-limits.ts'

/** What a report shows of the classes of one limit. */
export interface LimitCounts {
  /** Load that was admitted beyond the guarantees; `unheld`: of classes that the plan lets in as a whole. */
  readonly spent: number
  readonly unheld: number
  readonly inFlight: number
  /** Answers, and their response times in all. */
  readonly answers: number
  readonly answersMs: number
}

export const NO_COUNTS: LimitCounts = {
  ...{ spent: 0, unheld: 0 },
  ...{ inFlight: 0, answers: 0, answersMs: 0 },
}

/** By the name of the limit. */
export function limitCounts({ routes }: Feedback, plan: Plan): ReadonlyMap<string, LimitCounts> {
  const counts = new Map<string, LimitCounts>()
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, counted] of Object.entries(classes)) {
      const planned: Partial<ClassPlan> = plan.routes[route]?.classes[name] ?? {}
      const { cost = 1, probability = 1, queue } = planned
      const limit = limitName(classKey(route, name), planned)
      // The limit on draws is what tickets leave.
      const beside = queue === undefined ? 0 : counted.byTicket
      const load = Math.max(0, counted.admitted - counted.guaranteed - beside) * cost
      const before = counts.get(limit) ?? NO_COUNTS
      counts.set(limit, {
        spent: before.spent + load,
        unheld: before.unheld + (probability >= 1 ? load : 0),
        inFlight: before.inFlight + counted.inFlight,
        answers: before.answers + counted.served - counted.ignoredServed,
        answersMs: before.answersMs + counted.latencyUs / 1000,
      })
    }
  return counts
}
