import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import { station } from '../origins/station.ts'
import { runEdge } from './run-edge.ts'

/** In requests per second: what the origin takes, and what the plan allows. */
const LIMIT = 200
const CALM = 0.5 * LIMIT
const CROWD = 20
const ONSET_S = 60
const GROWTH_S = 3
const ISOLATES = 4
const GROWTH = 50
/** The time after the onset in which the excess is counted. */
const COUNTED_S = 10

export interface NewbornFigure {
  readonly learner: string
  readonly colos: number
  readonly lost: number
  /**
   * The largest excess over the limit that adds up within ten seconds of the onset, in seconds' worth of the
   * limit. What is admitted too little works off what was too much before.
   */
  readonly excessS: number
  /** Admitted in each of these seconds, in parts of the limit. */
  readonly bySecond: readonly number[]
}

/** Eight servers of 40 ms, twenty times as many as in calm from one second to the next. */
function plant(): Plant {
  return {
    granularity: 'request',
    sla: { percentile: 95, targetMs: 200, windowMs: 60_000 },
    origin: station({ servers: 8 }),
    clients: singleRequests({
      arrivals: poisson(steps({ 0: CALM, [ONSET_S]: CROWD * CALM })),
      demand: exponential({ mean: 40 }),
    }),
  }
}

/** From 4 isolates to 200 within three seconds, spread evenly over the colos. */
function isolatesAt(nowMs: number): number {
  const part = Math.min(1, Math.max(0, (nowMs / 1000 - ONSET_S) / GROWTH_S))
  return ISOLATES * (1 + (GROWTH - 1) * part)
}

/**
 * Isolates multiply 50-fold within three seconds while the crowd grows 20-fold. With the learner `fixed` the
 * limit is known all the time, so that all of the excess is the edge's doing; `soc-lqr` must find it first, and
 * its excess is counted against the origin's capacity.
 */
export async function newbornFigure(
  learner: string,
  colos: number,
  lost: number,
  seed: number,
): Promise<NewbornFigure> {
  const { trace } = await runEdge({
    plant: plant(),
    seed,
    seconds: ONSET_S + COUNTED_S,
    learner: { name: learner, options: learner === 'fixed' ? { limit: LIMIT } : {} },
    colos,
    isolates: (nowMs) => isolatesAt(nowMs) / colos,
    idleMs: 30_000,
    toRelay: { delay: exponential({ mean: 5 }), lost },
    toCoordinator: { delay: exponential({ mean: 40 }), lost },
  })
  const surge = trace.filter(({ atMs }) => atMs > ONSET_S * 1000)
  const bySecond = surge.map(({ sample }) => sample.admitted.requests / LIMIT)
  let excess = 0
  let excessS = 0
  for (const part of bySecond) {
    excess = Math.max(0, excess + part - 1)
    excessS = Math.max(excessS, excess)
  }
  return { learner, colos, lost, excessS, bySecond }
}

/** What the figure shows: the limit known and to be found, one colo and ten, with and without lost messages. */
export const NEWBORN_CASES = ['fixed', 'soc-lqr'].flatMap((learner) =>
  [1, 10].flatMap((colos) => [0, 0.05].map((lost) => ({ learner, colos, lost }))),
)
