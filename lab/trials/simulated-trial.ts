import type { RetryRule } from '../../tools/crowd/visitor.ts'
import { distributionOf } from '../../tools/origin/service-law.ts'
import { capacityBetween } from '../../tools/trial/capacity.ts'
import { phasesOf } from '../../tools/trial/sessions.ts'
import { onsetS, SETTLE_S, type TrialCase } from '../../tools/trial/trial-case.ts'
import { poisson } from '../clients/arrivals.ts'
import type { RetryHabits } from '../clients/entrance.ts'
import { Phases } from '../clients/phases.ts'
import { pieces } from '../clients/rates.ts'
import { sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { runEdge } from '../edge/run-edge.ts'
import { deterministic, exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { OriginFactory } from '../origins/origin.ts'
import { sharing } from '../origins/sharing.ts'
import { station } from '../origins/station.ts'

const WINDOW_MS = 60_000
/** All parts of a trial run on one machine. */
const MESSAGE_MS = 2

export interface SimulatedTrial {
  /** As in a trial: answers within the target, of what the origin could have served, and the part that was late. */
  readonly share: number
  readonly lateShare: number
}

/** A trial in simulated time: the same origin and crowd before the same edge and coordinator, without HTTP. */
export async function simulateTrial(trial: TrialCase, seed: number): Promise<SimulatedTrial> {
  const fromS = onsetS(trial) + SETTLE_S
  const delay = exponential({ mean: MESSAGE_MS })
  const { served, failed, abandoned, lateShare } = await runEdge({
    plant: plantOfTrial(trial),
    seed,
    seconds: trial.seconds,
    measureFromSeconds: fromS,
    learner: { name: 'soc-lqr', options: {} },
    toRelay: { delay },
    toCoordinator: { delay },
  })
  const inTime = (served + failed + abandoned) * (1 - lateShare)
  return { share: inTime / capacityBetween(trial, fromS, trial.seconds), lateShare }
}

export function plantOfTrial(trial: TrialCase): Plant {
  const { origin, crowd, route, targetMs, percentile = 95 } = trial
  const demand = distributionOf(origin.service)
  const isOnSessions = route?.granularity !== 'request'
  const load = phasesOf(trial).map(({ fromMs, perSecond }) => ({ fromMs, rate: perSecond }))
  const common = {
    arrivals: poisson(pieces(load)),
    retries: retriesOf(trial),
    patience: deterministic({ value: crowd.patienceMs }),
    ...(crowd.parts && { mix: crowd.parts.map(({ part }) => part) }),
  }
  const page = { tier: 0, next: { page: 1 - 1 / crowd.pages } }
  return {
    granularity: isOnSessions ? 'session' : 'request',
    sla: { percentile, targetMs, windowMs: WINDOW_MS },
    origin: originOf(trial),
    clients: isOnSessions
      ? sessions({
          ...common,
          phases: new Phases({ page }),
          demands: [demand],
          think: exponential({ mean: crowd.thinkMs }),
          ...(crowd.retry?.kind === 'impatient' && {
            resend: { most: crowd.retry.most, afterMs: pauseOf(crowd.retry) },
          }),
        })
      : singleRequests({ ...common, demand }),
    ...(route?.classes && {
      classes: route.classes.map(({ name, value = 1, guaranteed = 0 }) => ({
        ...{ name, value, guaranteed },
      })),
    }),
    changes: (origin.changes ?? []).map(({ atS, ...change }) => ({ atMs: atS * 1000, ...change })),
  }
}

function retriesOf({ crowd: { retry } }: TrialCase): RetryHabits {
  if (retry === undefined || retry.kind === 'never') return {}
  // The crowd counts how often a visitor comes back, and the lab how often it is refused.
  const most = 1 + retry.most
  if (retry.kind === 'told') return { asTold: 1, most }
  return { atOnce: 1, atOnceMs: pauseOf(retry), most }
}

const pauseOf = ({ pauseMs = 0 }: RetryRule): number => pauseMs

function originOf({ origin: { servers, discipline, thrashing, room } }: TrialCase): OriginFactory {
  const slowdown = (present: number): number =>
    thrashing === undefined
      ? 1
      : Math.min(thrashing.most, 1 + Math.max(0, present - thrashing.above) / thrashing.double)
  return discipline === 'sharing'
    ? sharing({
        servers,
        efficiency: (present) => 1 / slowdown(present),
        ...(room !== undefined && { most: room }),
      })
    : station({
        ...{ servers, slowdown, noticesAbandonment: false },
        ...(room !== undefined && { room: room - servers }),
      })
}
