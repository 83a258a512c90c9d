import { classKey } from '../../protocol/class-key.ts'
import { placesIn } from './class-queue.ts'
import type { QueueStates } from './queue-rates.ts'

/** The waiting room of a class, as operators see it. */
export interface QueueStatus {
  /** People who wait. */
  readonly waiting: number
  /** Tickets that have not come back yet: people at their first page, and bots. */
  readonly fresh: number
  /** Entries per second. */
  readonly rate: number
  /** The part of the waiting that leaves per second. */
  readonly leaving: number
  /** Promises of about the last thousand entries: the parts that entered before, within and after the range. */
  readonly promises: { readonly early: number; readonly kept: number; readonly late: number }
}

/** The waiting rooms of a route by class; null: nobody has waited. */
export function queueStatuses(
  queues: QueueStates,
  route: string,
  classNames: readonly string[],
): Readonly<Record<string, QueueStatus>> | null {
  const found = classNames.flatMap((name) => {
    const queue = queues[classKey(route, name)]
    if (queue === undefined) return []
    const { rate, leaving, early, kept, late } = queue.estimates
    const all = Math.max(1e-9, early + kept + late)
    const waiting = placesIn(queue)
    const fresh = queue.counts.cells.reduce((sum, value, i) => (i % 4 === 3 ? sum + value : sum), 0)
    const promises = { early: early / all, kept: kept / all, late: late / all }
    return [[name, { waiting, fresh, rate, leaving, promises }] as const]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}
