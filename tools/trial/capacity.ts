import { streams } from '../../lab/engine/random.ts'
import { distributionOf } from '../origin/service-law.ts'
import { Station } from '../origin/station.ts'
import { coinsOf, exponential } from '../random.ts'
import type { OriginWorld, TrialCase } from './trial-case.ts'

/** Requests per second of all servers at normal speed, without a loss to thrashing. */
export function nominalPerSecond({ servers, service }: OriginWorld): number {
  return (1000 * servers) / service.meanMs
}

/** Requests that the origin can serve within the SLA in this time, as its servers come and go. */
export function capacityBetween(trial: TrialCase, fromS: number, toS: number): number {
  const { origin } = trial
  const atStart = capacityPerSecond(trial)
  const changes = (origin.changes ?? []).toSorted((a, b) => a.atS - b.atS)
  let { servers } = origin
  let [speed, sinceS, sum] = [1, fromS, 0]
  const add = (untilS: number) => {
    const seconds = Math.max(0, Math.min(untilS, toS) - sinceS)
    sum += (atStart * seconds * servers * speed) / origin.servers
    sinceS = Math.max(sinceS, untilS)
  }
  for (const change of changes) {
    add(change.atS)
    servers = change.servers ?? servers
    speed = change.speed ?? speed
  }
  add(toS)
  return sum
}

/** At the start. */
export function capacityPerSecond(trial: TrialCase): number {
  return trial.capacity === 'calibrated' ? bestGoodput(trial) : nominalPerSecond(trial.origin)
}

const LEAST_LOAD = 0.3
const LOAD_STEP = 0.01
const MOST_LOAD = 1.1
const JOBS = 40_000
const SEED = 1

/**
 * The best rate within the SLA over all constant loads that keep the SLA: Poisson requests straight
 * into the origin's station, in simulated time.
 */
export function bestGoodput(trial: TrialCase): number {
  const nominal = nominalPerSecond(trial.origin)
  let best = 0
  for (let load = LEAST_LOAD; load <= MOST_LOAD; load += LOAD_STEP) {
    const inSla = inSlaShare(trial, load * nominal)
    // More load never makes an origin faster.
    if (inSla === null) break
    best = Math.max(best, load * nominal * inSla)
  }
  return best
}

/** null: the load is too high for the SLA. */
function inSlaShare(trial: TrialCase, perSecond: number): number | null {
  const { origin, targetMs, percentile = 95 } = trial
  const mostLate = JOBS * (1 - percentile / 100)
  const station = new Station<number>(origin)
  const service = distributionOf(origin.service)
  const demands = streams(SEED)('service')
  const arrivals = coinsOf(SEED, 'arrivals')
  let [nowMs, late] = [0, 0]
  const settle = (untilMs: number) => {
    for (const { tag, endedMs } of station.advance(untilMs)) if (endedMs - tag > targetMs) late++
  }
  for (let job = 0; job < JOBS && late <= mostLate; job++) {
    nowMs += exponential(1000 / perSecond, arrivals)
    if (!station.arrive(nowMs, service.draw(demands), nowMs)) late++
    settle(nowMs)
  }
  settle(Number.MAX_VALUE)
  return late > mostLate ? null : 1 - late / JOBS
}
