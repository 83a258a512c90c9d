import { histogramTotal } from '../lib/histogram.ts'
import type { RoutesFeedback } from '../protocol/merge.ts'
import type { OriginLoad } from '../protocol/plan.ts'

/** Weight of the newest tick. */
const WEIGHT = 0.5
/** Of refusals more is remembered: classes that are held no longer the moment that servers have room fill them at once. */
const DROP_WEIGHT = 0.2

/** What the ticks showed of the origin's servers, smoothed: a plain JSON value. */
export interface SmoothedServerLoad {
  /** Requests at the origin. */
  readonly inFlight: number
  /** Mean response time; null: before the first tick. */
  readonly responseMs: number | null
  /** p_drop of Cataclysm §3.4: the part of the offered for whom the servers had no place. */
  readonly drop: number
}

export const NO_SERVER_LOAD: SmoothedServerLoad = { inFlight: 0, responseMs: null, drop: 0 }

export function serversAfter(
  books: SmoothedServerLoad,
  routes: RoutesFeedback,
): SmoothedServerLoad {
  let inFlight = 0
  let samples = 0
  let latencyUs = 0
  let offered = 0
  let failed = 0
  for (const { classes } of Object.values(routes))
    for (const seen of Object.values(classes)) {
      inFlight += seen.inFlight
      samples += histogramTotal(seen.latency)
      latencyUs += seen.latencyUs
      offered += seen.offered
      failed += seen.refusals.batch ?? 0
    }
  const mix = (old: number, fresh: number, weight = WEIGHT): number => old + weight * (fresh - old)
  // Where nothing is answered any more, what was is forgotten: a queue that shuts everybody out must end some time.
  const freshMs = samples > 0 ? latencyUs / samples / 1000 : 0
  return {
    inFlight: mix(books.inFlight, inFlight),
    responseMs: mix(books.responseMs ?? freshMs, freshMs),
    drop: offered > 0 ? mix(books.drop, Math.min(1, failed / offered), DROP_WEIGHT) : books.drop,
  }
}

/**
 * What Cataclysm's eq. 4 asks of the servers. Their number is what the utilisation law makes of the limit, n = λ* S:
 * requests that are worked on at the limit. `rate` is λ* in requests per second; null: no limit is known.
 */
export function originLoad(
  { inFlight, responseMs }: SmoothedServerLoad,
  serviceMs: number,
  rate: number | null,
): OriginLoad {
  const servers = rate === null ? null : (rate * serviceMs) / 1000
  // Requests that share the servers take 1 + η times their service time: what is beyond that is a queue.
  const shared = servers === null || servers === 0 ? 0 : inFlight / servers
  const queueingMs = servers === null ? 0 : (responseMs ?? 0) - (1 + shared) * serviceMs
  return { servers, serviceMs, inFlight, queueingMs: Math.max(0, queueingMs) }
}
