import { type ArrivalsFactory, poisson } from '../clients/arrivals.ts'
import { Phases } from '../clients/phases.ts'
import { sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { deterministic, exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import { type Change, leak, pauses } from '../origins/changes.ts'
import type { OriginFactory } from '../origins/origin.ts'
import { sharing } from '../origins/sharing.ts'
import { station } from '../origins/station.ts'
import { arrivalRate } from './arrival-rate.ts'
import { serviceOf } from './service.ts'
import type { OriginSpec, SessionSpec, WorldSpec } from './spec.ts'

/** The world's origin and clients, as the lab simulates them. */
export function plantOf(
  world: WorldSpec,
  arrivals: ArrivalsFactory = poisson(arrivalRate(world)),
  changes: readonly Change[] = changesOf(world),
): Plant {
  const { origin, sla, traffic } = world
  const { session, classes, retries, resend } = traffic
  const common = {
    arrivals,
    retries,
    patience: deterministic({ value: traffic.patienceMs }),
    ...(classes.length > 0 && { mix: classes.map(({ part }) => part) }),
    ...(resend && { resend }),
  }
  const service = serviceOf(origin)
  return {
    granularity: session === null ? 'request' : 'session',
    sla,
    origin: originOf(origin),
    clients:
      session === null
        ? singleRequests({ ...common, demand: service })
        : sessions({
            ...common,
            phases: phasesOf(session),
            demands: [service],
            think: exponential({ mean: session.thinkMs }),
          }),
    ...(classes.length > 0 && { classes }),
    changes,
  }
}

/** Thrashing takes no more than this part of the speed. */
const LEAST_SPEED = 0.25

function originOf(spec: OriginSpec): OriginFactory {
  const { servers, discipline, thrashesAbove: knee, wastesWork, failsAbove } = spec
  const speedWith = (present: number) =>
    knee === null || present <= knee ? 1 : Math.max(LEAST_SPEED, knee / present)
  if (discipline === 'sharing') {
    return sharing({
      servers,
      ...(knee !== null && { efficiency: speedWith }),
      ...(failsAbove !== null && { most: failsAbove }),
    })
  }
  return station({
    servers,
    noticesAbandonment: !wastesWork,
    ...(knee !== null && { slowdown: (present: number) => 1 / speedWith(present) }),
    ...(failsAbove !== null && { room: failsAbove - servers }),
  })
}

function phasesOf({ pages, length }: SessionSpec): Phases {
  if (length === 'geometric')
    return new Phases({ page: { tier: 0, next: { page: 1 - 1 / pages } } })
  const chain: Record<string, { tier: number; next: Record<string, number> }> = {}
  for (let i = 1; i <= pages; i++) {
    chain[`page ${i}`] = { tier: 0, next: i < pages ? { [`page ${i + 1}`]: 1 } : {} }
  }
  return new Phases(chain)
}

export function changesOf({ trouble, origin, onsetS, seconds }: WorldSpec): readonly Change[] {
  const at = (s: number) => (onsetS + s) * 1000
  switch (trouble.kind) {
    case 'none':
      return []
    case 'loss': {
      const { left, atS, backAtS, abrupt } = trouble
      const loss = { atMs: at(atS), ...reduced(origin, left), abrupt }
      return backAtS === null ? [loss] : [loss, { atMs: at(backAtS), ...reduced(origin, 1) }]
    }
    case 'return':
      return [
        { atMs: 0, ...reduced(origin, trouble.left) },
        { atMs: at(trouble.backAtS), ...reduced(origin, 1) },
      ]
    case 'leak': {
      const { fromS, toS, left } = trouble
      return leak({ fromMs: at(fromS), toMs: at(toS), left })
    }
    case 'pauses': {
      const { everyS, lengthS } = trouble
      const fromMs = everyS * 500
      return pauses({
        fromMs,
        toMs: seconds * 1000,
        everyMs: everyS * 1000,
        lengthMs: lengthS * 1000,
      })
    }
  }
}

/** Whole servers go; a single one loses speed instead. */
export function reduced(
  { servers }: OriginSpec,
  left: number,
): { servers?: number; speed?: number } {
  if (servers === 1) return { speed: left }
  return {
    servers: left === 1 ? servers : Math.min(servers - 1, Math.max(1, Math.round(servers * left))),
  }
}
