import type { CapacityEvent } from '../learners/learner.ts'
import type { PoolServer } from '../protocol/feedback.ts'
import type { ServersFeedback } from '../protocol/merge.ts'

/** So many failures in a row, over all isolates, and a server is down. */
export const DOWN_AFTER = 5

/** How the servers of an origin are, as far as requests to them tell: a plain JSON value. */
export interface PoolHealth {
  /** Failures since the last success, by server, up to `DOWN_AFTER`; a server without any is not named. */
  readonly failures: Readonly<Record<string, number>>
  /** Those that the learner has been told to do without. */
  readonly gone: readonly string[]
}

export const ALL_WELL: PoolHealth = { failures: {}, gone: [] }

export interface PoolTick {
  readonly health: PoolHealth
  /** What it means for the origin's capacity, in weights; null: nothing. */
  readonly event: CapacityEvent | null
}

/** The health after a tick in which this was seen. Servers that are no longer in the pool are forgotten. */
export function healthAfter(
  before: PoolHealth,
  pool: readonly PoolServer[],
  seen: ServersFeedback,
): PoolTick {
  if (pool.length === 0) return { health: ALL_WELL, event: null }
  const failures: Record<string, number> = {}
  for (const { url } of pool) {
    const inARow = failuresInARow(before.failures[url] ?? 0, seen[url])
    if (inARow > 0) failures[url] = inARow
  }
  const known = goneFrom(before.gone, pool)
  // Where all are down the pool does what it can: to scale what was learned to nothing would help nobody.
  const gone = pool.every(({ url }) => isDown(failures, url)) ? known : downOf({ failures }, pool)
  const event = { before: weightWithout(known, pool), after: weightWithout(gone, pool) }
  return { health: { failures, gone }, event: event.before === event.after ? null : event }
}

/** Whom to send nothing to. Nobody, where there would be nobody left. */
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

/** A pool of which nobody is left but those who were gone starts anew. */
function goneFrom(gone: readonly string[], pool: readonly PoolServer[]): readonly string[] {
  const still = pool.map(({ url }) => url).filter((url) => gone.includes(url))
  return still.length < pool.length ? still : []
}

const isDown = (failures: PoolHealth['failures'], url: string): boolean =>
  (failures[url] ?? 0) >= DOWN_AFTER

function weightWithout(gone: readonly string[], pool: readonly PoolServer[]): number {
  let sum = 0
  for (const { url, weight } of pool) if (!gone.includes(url)) sum += weight
  return sum
}
