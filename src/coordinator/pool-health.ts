import type { CapacityEvent } from '../learners/learner-interface.ts'
import type { PoolServer } from '../protocol/feedback.ts'
import type { ServersFeedback } from '../protocol/merge-reports.ts'

/** A server is down after this many failures in a row, counted over all isolates. */
const DOWN_AFTER = 5

/** Health of an origin's servers, as requests to them show it: a plain JSON value. */
export interface PoolHealth {
  /** Failures since the last success, by server, up to `DOWN_AFTER`. A server without failures is absent. */
  readonly failures: Readonly<Record<string, number>>
  /** Servers that the learner no longer counts as capacity. */
  readonly removed: readonly string[]
}

export const ALL_SERVERS_UP: PoolHealth = { failures: {}, removed: [] }

/**
 * Health after a tick. Servers that are no longer in the pool are dropped. `event` is the change of the
 * origin's capacity, in weights; null: no change.
 */
export function healthAfter(
  before: PoolHealth,
  pool: readonly PoolServer[],
  seen: ServersFeedback,
): { readonly health: PoolHealth; readonly event: CapacityEvent | null } {
  if (pool.length === 0) return { health: ALL_SERVERS_UP, event: null }
  const failures: Record<string, number> = {}
  for (const { url } of pool) {
    const inARow = failuresInARow(before.failures[url] ?? 0, seen[url])
    if (inARow > 0) failures[url] = inARow
  }
  const known = stillRemoved(before.removed, pool)
  // If all servers are down, the last capacity stays: a limit scaled to zero would never find out that one is back.
  const isAllDown = pool.every(({ url }) => isDown(failures, url))
  const removed = isAllDown ? known : downOf({ failures }, pool)
  const event = { before: weightWithout(known, pool), after: weightWithout(removed, pool) }
  return { health: { failures, removed }, event: event.before === event.after ? null : event }
}

/** Servers that get no requests. None, if all of them are down. */
export function downOf(
  { failures }: Pick<PoolHealth, 'failures'>,
  pool: readonly PoolServer[],
): readonly string[] {
  const down = pool.map(({ url }) => url).filter((url) => isDown(failures, url))
  return down.length < pool.length ? down : []
}

function failuresInARow(before: number, seen: ServersFeedback[string] | undefined): number {
  if (seen === undefined) return before
  return seen.tries > seen.failures ? 0 : Math.min(DOWN_AFTER, before + seen.failures)
}

/** The removed servers that are in the pool. If a new pool has only removed servers, the list is reset. */
function stillRemoved(removed: readonly string[], pool: readonly PoolServer[]): readonly string[] {
  const still = pool.map(({ url }) => url).filter((url) => removed.includes(url))
  return still.length < pool.length ? still : []
}

const isDown = (failures: PoolHealth['failures'], url: string): boolean =>
  (failures[url] ?? 0) >= DOWN_AFTER

function weightWithout(removed: readonly string[], pool: readonly PoolServer[]): number {
  let sum = 0
  for (const { url, weight } of pool) if (!removed.includes(url)) sum += weight
  return sum
}
