import type { PoolServer, ServerDrain, Setup } from '../protocol/feedback.ts'
import type { ServersFeedback } from '../protocol/merge-reports.ts'

/** A drained server to which no request went for this long has no sessions left. */
const QUIET_MS = 60_000

/** The last request to each server that is being drained, by its URL. */
export type LastRequests = Readonly<Record<string, number>>

interface DrainsAfter {
  /** null: nothing has changed. */
  readonly pool: readonly PoolServer[] | null
  readonly lastRequests: LastRequests
  /** Servers that have left the pool. */
  readonly drained: readonly PoolServer[]
}

export const withPool = (setup: Setup, pool: readonly PoolServer[] | null): Setup =>
  pool === null ? setup : { ...setup, servers: pool }

/** The capacity of a pool, in weights. A server that is being drained takes no new load. */
export function weightOf({ servers }: Setup): number {
  if (servers === undefined) return 1
  return servers.reduce((sum, { weight, drain }) => sum + (drain === undefined ? weight : 0), 0)
}

/** The pool with one server that is being drained. A text says why it cannot be drained. */
export function poolWithDrain(
  pool: readonly PoolServer[],
  url: string,
  drain: ServerDrain,
): readonly PoolServer[] | string {
  if (!pool.some((server) => server.url === url)) return `There is no server ${url} in the pool.`
  const others = pool.filter((server) => server.url !== url && server.drain === undefined)
  if (others.length === 0) return 'No other server could take its sessions.'
  return pool.map((server) => (server.url === url ? { ...server, drain } : server))
}

/** The pool with one more server. A server that is being drained stays. */
export function poolWith(pool: readonly PoolServer[], added: PoolServer): readonly PoolServer[] {
  return [...pool.filter(({ url }) => url !== added.url), added]
}

/**
 * The pool after a tick: a drained server leaves at its deadline, or as soon as its sessions have ended (Urgaonkar et al.
 * 2008, §6.1, measurement-based ramp-down).
 */
export function drainsAfter(
  pool: readonly PoolServer[],
  seen: ServersFeedback,
  before: LastRequests,
  nowMs: number,
): DrainsAfter {
  const lastRequests: Record<string, number> = {}
  const drained = pool.filter(({ url, drain }) => {
    if (drain === undefined) return false
    const lastMs = (seen[url]?.requests ?? 0) > 0 ? nowMs : (before[url] ?? drain.sinceMs)
    const isQuiet = drain.how === 'measured' && nowMs - lastMs >= QUIET_MS
    if (isQuiet || nowMs >= drain.untilMs) return true
    lastRequests[url] = lastMs
    return false
  })
  if (drained.length === 0) return { pool: null, lastRequests, drained }
  return { pool: pool.filter((server) => !drained.includes(server)), lastRequests, drained }
}
