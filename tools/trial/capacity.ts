import { bestGoodput } from './best-goodput.ts'
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
