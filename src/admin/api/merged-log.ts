import type { LogQuery, OperatorPort } from '../../coordinator/operator/desk-messages.ts'
import type { LogPage } from '../../coordinator/operator/records.ts'
import { askAll } from './ask.ts'

interface Timed {
  readonly atMs: number
}

/** A page of a log that each coordinator keeps for its own origin. Newest first. */
export async function mergedLog(
  port: OperatorPort,
  origins: readonly string[],
  op: 'events' | 'audit',
  query: LogQuery,
): Promise<LogPage<Timed>> {
  const pages = await askAll<LogPage<Timed>>(port, origins, () => ({ op, ...query }))
  const all = pages.flatMap(({ entries }) => entries).sort((a, b) => b.atMs - a.atMs)
  const lastMs = all[query.limit - 1]?.atMs
  // Entries of two coordinators may have the same time. A page ends behind all of them, because `next` is a time.
  const entries = lastMs === undefined ? all : all.filter(({ atMs }) => atMs >= lastMs)
  const hasMore = entries.length < all.length || pages.some(({ next }) => next !== null)
  return { entries, next: hasMore ? (entries.at(-1)?.atMs ?? null) : null }
}
