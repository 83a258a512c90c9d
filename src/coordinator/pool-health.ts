import type { CapacityEvent } from '../learners/learner-interface.ts'
import type { PoolServer } from '../protocol/feedback.ts'
import type { ServersFeedback } from '../protocol/merge-reports.ts'
import type { LastRequests } from './pool-change.ts'

/** A server is down after this many failures in a row, counted over all isolates. */
const DOWN_AFTER = 5
/** No slow start is longer: the limit of `slowStartMs`. */
const RISING_MS = 600_000

/** Health of an origin's servers, as requests to them show it: a plain JSON value. */
export interface PoolHealth {
  /** Failures since the last success, by server, up to `DOWN_AFTER`. A server without failures is absent. */
  readonly failures: Readonly<Record<string, number>>
  /** Servers that the learner no longer counts as capacity. */
  readonly removed: readonly string[]
  /** Servers that are new or have come back, and since when. Older ones are dropped. */
  readonly rising?: Readonly<Record<string, number>>
  /** The last request to each server that is being drained. */
  readonly lastRequests?: LastRequests
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
  nowMs: number,
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
  const back = before.removed.filter((url) => !removed.includes(url))
  const rising = risingAfter(before.rising ?? {}, back, pool, nowMs)
  return {
    health: { failures, removed, ...(Object.keys(rising).length > 0 ? { rising } : {}) },
    event: event.before === event.after ? null : event,
  }
}

/** The servers that start slowly after a change of the pool: those that did, and the new ones. */
export function risingWith(
  { rising = {} }: PoolHealth,
  before: readonly PoolServer[] = [],
  after: readonly PoolServer[] = [],
  nowMs: number,
): Readonly<Record<string, number>> {
  const known = new Set(before.map(({ url }) => url))
  const added = after.map(({ url }) => url).filter((url) => !known.has(url))
  return risingAfter(rising, added, after, nowMs)
}

function risingAfter(
  before: Readonly<Record<string, number>>,
  started: readonly string[],
  pool: readonly PoolServer[],
  nowMs: number,
): Readonly<Record<string, number>> {
  const all = { ...before, ...Object.fromEntries(started.map((url) => [url, nowMs])) }
  const inPool = new Set(pool.map(({ url }) => url))
  return Object.fromEntries(
    Object.entries(all).filter(([url, sinceMs]) => inPool.has(url) && nowMs - sinceMs < RISING_MS),
  )
}

export function withLastRequests(health: PoolHealth, lastRequests: LastRequests): PoolHealth {
  return Object.keys(lastRequests).length > 0 ? { ...health, lastRequests } : health
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
  for (const { url, weight, drain } of pool)
    if (drain === undefined && !removed.includes(url)) sum += weight
  return sum
}
