import type { Feedback } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'

/** The highest cost among the classes of a plan. */
export function highestCost(plan: Plan): number {
  let highest = 0
  for (const { classes } of Object.values(plan.routes))
    for (const { cost } of Object.values(classes)) highest = Math.max(highest, cost)
  return highest
}

/** Load that a report shows as admitted beyond the guarantees; `unheld`: of classes that the plan lets in as a whole. */
export function drawnLoad({ routes }: Feedback, plan: Plan): { spent: number; unheld: number } {
  let spent = 0
  let unheld = 0
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, { admitted, guaranteed, byTicket }] of Object.entries(classes)) {
      const { cost = 1, probability = 1, own, queue } = plan.routes[route]?.classes[name] ?? {}
      // A class that is limited by itself has no part in this budget.
      if (own !== undefined) continue
      // The limit on draws is what tickets leave.
      const beside = queue === undefined ? 0 : byTicket
      const load = Math.max(0, admitted - guaranteed - beside) * cost
      spent += load
      if (probability >= 1) unheld += load
    }
  return { spent, unheld }
}
