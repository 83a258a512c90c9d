import { exponential } from '../engine/distributions.ts'
import type { LoadTest } from '../peers/peer.ts'
import { type BestLoads, clairvoyantOf } from '../tournament/best-load-table.ts'
import type { Demand } from '../tournament/class-clairvoyant.ts'
import type { Contest, EdgeShape } from '../tournament/scenario.ts'
import { arrivalRate } from './arrival-rate.ts'
import { guarded } from './guard.ts'
import { lineOf } from './line.ts'
import { plantOf } from './plant.ts'
import { serviceOf } from './service.ts'
import type { EdgeSpec, WorldSpec } from './spec.ts'

/** What the constant clairvoyant of a world holds. */
export interface WorldBest extends BestLoads {
  /** On session routes, the part of `guarded`. */
  readonly guard: number
}

/** A world in the tournament's form, once the clairvoyant's best loads are known. */
export function contestOf(world: WorldSpec, best: WorldBest): Contest {
  const { onsetS, seconds } = world
  const plant = plantOf(world)
  return {
    name: world.name,
    text: lineOf(world),
    plant,
    loadTest: loadTestOf(world),
    edge: edgeOf(world.edge),
    clairvoyant: guarded(
      clairvoyantOf(plant.granularity, best, demandOf(world)),
      world,
      best.guard,
    ),
    kind: 'onset',
    measureFromSeconds: onsetS,
    seconds,
  }
}

/** The seed of the run by which policies are judged. */
export const runSeedOf = ({ seed, index }: WorldSpec): number => seed * 10_000 + index

/** Seeds of the runs in which the clairvoyant's loads are looked for: never a run's own. */
export const calibrationSeedsOf = (world: WorldSpec): readonly number[] =>
  [1, 2].map((n) => runSeedOf(world) + n * 2 ** 33)

/** What an operator finds who tests the origin in its normal state. */
export function loadTestOf({ origin, traffic: { session, saturationRate } }: WorldSpec): LoadTest {
  const serviceMs = serviceOf(origin).mean
  const sessionMs =
    session === null ? 0 : session.pages * serviceMs + (session.pages - 1) * session.thinkMs
  return { saturationRate, sessionMs }
}

/** Only where there are several classes does the clairvoyant need to know who comes. */
function demandOf(world: WorldSpec): Demand | undefined {
  const { classes, saturationRate } = world.traffic
  if (classes.length === 0) return undefined
  return { arrivals: arrivalRate(world), mix: classes.map(({ part }) => part), saturationRate }
}

/** Messages that are late are late by so much in the mean. */
const LATE_MS = 2000
const TO_RELAY_MS = 5

function edgeOf(spec: EdgeSpec): EdgeShape {
  const { isolates, colos, skew, requestsPerIsolate, idleMs, lifeMs, lost, late } = spec
  const faults = { lost, late: { part: late, by: exponential({ mean: LATE_MS }) } }
  return {
    isolates,
    colos,
    skew,
    requestsPerIsolate,
    idleMs,
    ...(lifeMs !== null && { isolateLife: exponential({ mean: lifeMs }) }),
    toRelay: { delay: exponential({ mean: TO_RELAY_MS }), ...faults },
    toCoordinator: { delay: exponential({ mean: spec.coordinatorMs }), ...faults },
  }
}

/** The same world behind a single isolate without faults, to tell the learner's part from the edge's. */
export function behindOneIsolate(contest: Contest): Contest {
  return {
    ...contest,
    edge: {
      toRelay: { delay: exponential({ mean: TO_RELAY_MS }) },
      toCoordinator: { delay: exponential({ mean: 40 }) },
    },
  }
}
