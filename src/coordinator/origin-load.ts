import { histogramTotal } from '../lib/histogram.ts'
import type { RoutesFeedback } from '../protocol/merge-reports.ts'
import type { OriginLoad } from '../protocol/plan.ts'

/** Weight of the newest tick. */
const WEIGHT = 0.5
/** Smaller for refusals: if class delays ended as soon as the servers have room, the classes would fill them at once. */
const DROP_WEIGHT = 0.2

/** What the ticks showed of the origin's servers, smoothed: a plain JSON value. */
export interface SmoothedServerLoad {
  /** Requests at the origin. */
  readonly inFlight: number
  /** Mean response time; null: before the first tick. */
  readonly responseMs: number | null
  /** p_drop (Urgaonkar and Shenoy 2005, §3.4): the part of the offered that failed the batch test. */
  readonly drop: number
}

export const NO_SERVER_LOAD: SmoothedServerLoad = { inFlight: 0, responseMs: null, drop: 0 }

export function serverLoadAfter(
  before: SmoothedServerLoad,
  routes: RoutesFeedback,
): SmoothedServerLoad {
  let inFlight = 0
  let samples = 0
  let latencyUs = 0
  let offered = 0
  let dropped = 0
  for (const { classes } of Object.values(routes))
    for (const feedback of Object.values(classes)) {
      inFlight += feedback.inFlight
      samples += histogramTotal(feedback.latency)
      latencyUs += feedback.latencyUs
      offered += feedback.offered
      dropped += feedback.refusals.batch ?? 0
    }
  const mix = (old: number, newest: number, weight = WEIGHT): number =>
    old + weight * (newest - old)
  // A tick without answers counts as 0 ms. Otherwise a long queueing time that refuses all requests would never change.
  const responseMs = samples > 0 ? latencyUs / samples / 1000 : 0
  return {
    inFlight: mix(before.inFlight, inFlight),
    responseMs: mix(before.responseMs ?? responseMs, responseMs),
    drop: offered > 0 ? mix(before.drop, Math.min(1, dropped / offered), DROP_WEIGHT) : before.drop,
  }
}

/**
 * What the batch test needs to know of the servers (Urgaonkar and Shenoy 2005, eq. 4). Their number follows from
 * the limit by the utilisation law, n = λ* S. `rate` is λ* in requests per second; null: no limit is known.
 */
export function originLoad(
  { inFlight, responseMs }: SmoothedServerLoad,
  serviceMs: number,
  rate: number | null,
): OriginLoad {
  const servers = rate === null ? null : (rate * serviceMs) / 1000
  // A request that shares its server with η others takes 1 + η times its service time. The rest is queueing.
  const others = servers === null || servers === 0 ? 0 : inFlight / servers
  const queueingMs = servers === null ? 0 : (responseMs ?? 0) - (1 + others) * serviceMs
  return { servers, serviceMs, inFlight, queueingMs: Math.max(0, queueingMs) }
}
