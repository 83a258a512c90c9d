import { poisson } from '../clients/arrivals.ts'
import { ramp } from '../clients/profiles.ts'
import { bestLoad } from '../gate/best-load.ts'
import { clairvoyantSessions } from '../gate/clairvoyant.ts'
import type { Change } from '../origins/changes.ts'
import type { BestLoads } from '../tournament/best-load-table.ts'
import { calibrationSeedsOf, loadTestOf } from './contest.ts'
import { guarded } from './guard.ts'
import { changesOf, plantOf, reduced } from './plant.ts'
import type { WorldSpec } from './spec.ts'

/** So many requests at capacity make a run in which a load is tried. */
const REQUESTS = 12_000
/** The crowd of these runs: a larger one hardly changes which load is best, and costs time. */
const MOST_OVERLOAD = 4
const WINDOWS = 5
/** The search ends at this part of the load. */
const PRECISION = 0.02

/** The constant load that is best in lasting overload, for each capacity that the world has. */
export function bestLoadsOf(world: WorldSpec): BestLoads['loads'] {
  return statesOf(world)
    .map(([capacity, changes]) => [capacity, loadAt(world, capacity, changes)] as const)
    .sort(([a], [b]) => a - b)
}

/** Capacities in servers of normal speed, and what brings the origin there. */
function statesOf(world: WorldSpec): readonly (readonly [number, readonly Change[]])[] {
  const { origin, trouble } = world
  const { servers } = origin
  const whole = [servers, []] as const
  switch (trouble.kind) {
    case 'none':
      return [whole]
    case 'pauses':
      return [[servers, changesOf(world)]]
    case 'leak':
      return [whole, [servers * trouble.left, [{ atMs: 0, speed: trouble.left }]]]
    default: {
      const change = reduced(origin, trouble.left)
      const capacity = (change.servers ?? servers) * (change.speed ?? 1)
      return [whole, [capacity, [{ atMs: 0, ...change }]]]
    }
  }
}

function loadAt(world: WorldSpec, capacity: number, changes: readonly Change[]): number {
  const { origin, sla, traffic } = world
  const { session } = traffic
  const requestRate = (capacity * 1000) / origin.service.meanMs
  const rate = requestRate / (session?.pages ?? 1)
  const overload = Math.min(MOST_OVERLOAD, Math.max(1.2, traffic.overload))
  const sessionS = loadTestOf(world).sessionMs / 1000
  const lengthS = Math.max(REQUESTS / requestRate, 3 * sessionS)
  const warmUpS = Math.ceil(Math.min(lengthS / 2, 3 * sessionS + 1))
  const { retries: _, ...calmTraffic } = traffic
  const asked: WorldSpec = {
    ...world,
    sla: { ...sla, windowMs: Math.min(sla.windowMs, (lengthS * 1000) / WINDOWS) },
    // Who is refused stays away: the crowd is as large as it is meant to be.
    traffic: { ...calmTraffic, retries: { atOnce: 0, asTold: 0, most: 1 }, classes: [] },
  }
  // By Little's law; beyond the target nothing is answered in time.
  const inside = (requestRate * sla.targetMs) / 1000 + capacity
  const active = rate * sessionS
  const [low, high] =
    session === null ? [capacity / 4, inside] : [0.25 * active, 1.4 * active + inside]
  // All sessions at once would be a surge of its own, from which some origins never come back.
  const crowd = ramp({ from: rate / 2, to: overload * rate, startMs: 0, endMs: warmUpS * 500 })
  return bestLoad({
    ...(session !== null && {
      holding: (load: number) =>
        guarded(
          clairvoyantSessions(() => load),
          world,
          1,
        ),
    }),
    plant: plantOf(asked, poisson(crowd), changes),
    low: Math.max(1, Math.floor(low)),
    high: Math.max(2, Math.ceil(high)),
    finest: Math.max(1, Math.round((PRECISION * (low + high)) / 2)),
    seeds: calibrationSeedsOf(world),
    seconds: Math.ceil(lengthS + warmUpS),
    measureFromSeconds: warmUpS,
  })
}
