import { streams } from '../engine/random.ts'
import { drawOrigin, drawTrouble, MOST_CAPACITY, slaOf } from './draw-origin.ts'
import { drawSession, drawTraffic } from './draw-traffic.ts'
import { Draws, rounded } from './draws.ts'
import type { EdgeSpec, TrafficSpec, WorldSpec } from './spec.ts'

/** First requests of visitors per second at the peak: a larger origin is slowed down (docs/worlds.md). */
export const MOST_OFFERED = 4000
/** How long the surge lasts: four SLA windows. */
export const SURGE_S = 240
/** An isolate is worth its start for so many requests per second. */
const LEAST_PER_ISOLATE = 0.5

/** The index-th world of a seed. The same arguments give the same world. */
export function drawWorld(seed: number, index: number): WorldSpec {
  const random = streams(seed)
  const drawsFor = (part: string) => new Draws(random(`world ${index} ${part}`))
  const head = drawsFor('head')
  const percentile = head.oneOf([90, 95, 99])
  const targetFactor = head.logUniform(1.5, 6, 2)
  const overload = head.logUniform(1.2, 20, 2)
  const isCold = head.chance(0.15)
  const session = drawSession(drawsFor('session'))
  const mostCapacity = Math.min(MOST_CAPACITY, (MOST_OFFERED * (session?.pages ?? 1)) / overload)
  const origin = drawOrigin(drawsFor('origin'), targetFactor, mostCapacity)
  const sla = slaOf(origin, percentile, targetFactor)
  const traffic = drawTraffic({ draws: drawsFor('traffic'), origin, sla, session, overload })
  const onsetS = isCold ? 0 : calmSecondsOf(traffic)
  return {
    name: `${seed}.${index}`,
    seed,
    index,
    origin,
    sla,
    traffic,
    trouble: drawTrouble(drawsFor('trouble'), SURGE_S),
    edge: drawEdge(drawsFor('edge'), traffic),
    onsetS,
    seconds: onsetS + SURGE_S,
  }
}

/** Long enough for the number of sessions to come to rest. */
function calmSecondsOf({ session }: TrafficSpec): number {
  const sessionS = session === null ? 0 : (session.pages * session.thinkMs) / 1000
  return Math.ceil(30 + 1.5 * sessionS)
}

function drawEdge(draws: Draws, traffic: TrafficSpec): EdgeSpec {
  const { saturationRate, overload, session } = traffic
  // Visitors who ask, and on session routes the further pages of those who were admitted.
  const pages = session === null ? 0 : session.pages - 1
  const peak = saturationRate * (Math.max(1, overload) + pages)
  const most = Math.max(1, Math.floor(peak / LEAST_PER_ISOLATE))
  const isolates = Math.min(draws.logWhole(1, 1000), most)
  const colos = Math.min(isolates, draws.logWhole(1, 30))
  return {
    isolates,
    colos,
    skew: draws.uniform(0, 1, 2),
    requestsPerIsolate: rounded(peak / isolates, 3),
    idleMs: draws.logUniform(5000, 60_000, 0),
    lifeMs: draws.chance(0.3) ? draws.logUniform(60_000, 300_000, 0) : null,
    coordinatorMs: draws.logUniform(10, 100, 0),
    lost: draws.chance(0.4) ? draws.uniform(0, 0.1) : 0,
    late: draws.chance(0.4) ? draws.uniform(0, 0.2) : 0,
  }
}
