import type { ClassFeedback } from '../../protocol/feedback.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { TickRecord } from '../last-minute.ts'
import { outcomesOf } from '../outcomes.ts'
import type { CoordinatorState } from '../state.ts'
import type { WatchedTick } from './watch.ts'

/** Reasons that show a lack of capacity, whatever happens instead of admission. The others are about single clients. */
const CAPACITY_REASONS = ['share', 'batch', 'full'] as const

/** What a tick shows to those who look for events. */
export function watchedTick(tick: TickRecord, plan: Plan, state: CoordinatorState): WatchedTick {
  const { atMs, lengthMs, routes } = tick
  const seconds = lengthMs / 1000
  return {
    atMs,
    setupId: state.setup.id,
    down: plan.down ?? [],
    isOvercommitted: plan.overcommitted === true,
    isCapacityNew: state.decision.reason === 'capacity',
    limit: state.decision.limit,
    routes: state.setup.routes.map(({ name }) => {
      let offered = 0
      let surplus = 0
      for (const feedback of Object.values(routes[name]?.classes ?? {})) {
        offered += feedback.offered
        surplus += surplusOf(feedback)
      }
      return {
        ...{ name, seconds, offered: offered / seconds, surplus: surplus / seconds },
        limit: plan.routes[name]?.limit ?? null,
      }
    }),
  }
}

function surplusOf(feedback: ClassFeedback): number {
  const { refusals, degrades, redirects } = feedback
  // Those who come back with a ticket are not counted again.
  let surplus = outcomesOf(feedback).queued - (feedback.queued?.event ?? 0)
  for (const counts of [refusals, degrades, redirects])
    for (const reason of CAPACITY_REASONS) surplus += counts?.[reason] ?? 0
  return surplus
}
