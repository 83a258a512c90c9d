import type { ArrivalsFactory } from '../clients/arrivals.ts'
import { Phases } from '../clients/phases.ts'
import type { RateProfile } from '../clients/rates.ts'
import { sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import {
  around,
  type Distribution,
  deterministic,
  exponential,
  fromData,
  logNormal,
  pareto,
} from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { Change } from '../origins/changes.ts'
import type { OriginFactory } from '../origins/origin.ts'
import { sharing } from '../origins/sharing.ts'
import { station } from '../origins/station.ts'
import type { LoadTest } from '../peers/peer.ts'
import type { Demand } from '../tournament/class-clairvoyant.ts'
import type { ParsedScenario } from './schema.ts'

/** The time after which a visitor repeats a failed request. */
const RESEND_AFTER_MS = 1000
/** Length of the steps of a gradual change of speed. */
const STEP_S = 10

export function plantOf(scenario: ParsedScenario, arrivals: ArrivalsFactory): Plant {
  const { granularity, sla, origin, classes, visitors } = scenario
  const { patienceMs, retryAtOnce, retryAsTold, resend } = visitors
  const service = serviceOf(origin.serviceMs)
  const who = {
    arrivals,
    retries: { atOnce: retryAtOnce, asTold: retryAsTold },
    ...(classes && { mix: classes.map(({ part }) => part) }),
    ...(patienceMs !== undefined && { patience: deterministic({ value: patienceMs }) }),
    ...(resend > 0 && { resend: { most: resend, afterMs: RESEND_AFTER_MS } }),
  }
  const { requests, thinkMs } = scenario.session ?? { requests: 10, thinkMs: 10_000 }
  return {
    granularity,
    sla,
    origin: originOf(origin),
    clients:
      granularity === 'request'
        ? singleRequests({ ...who, demand: service })
        : sessions({
            ...who,
            phases: new Phases({ page: { tier: 0, next: { page: 1 - 1 / requests } } }),
            demands: [service],
            think: exponential({ mean: thinkMs }),
          }),
    ...(classes && {
      classes: classes.map(({ name, value, guaranteed }) => ({ name, value, guaranteed })),
    }),
    ...(origin.timeoutMs !== undefined && { timeoutMs: origin.timeoutMs }),
    changes: changesOf(scenario.changes),
  }
}

export function demandOf(
  { classes }: ParsedScenario,
  arrivals: RateProfile,
  { saturationRate }: LoadTest,
): Demand | undefined {
  if (classes === undefined || classes.length === 1) return undefined
  return { arrivals, mix: classes.map(({ part }) => part), saturationRate }
}

type Origin = ParsedScenario['origin']

export function originOf({ servers, order, thrashesAbove, wastesWork }: Origin): OriginFactory {
  if (order === 'first-come') return station({ servers, noticesAbandonment: !wastesWork })
  if (thrashesAbove === undefined) return sharing({ servers })
  return sharing({ servers, efficiency: (present) => Math.min(1, thrashesAbove / present) })
}

export function serviceOf(service: Origin['serviceMs']): Distribution {
  if (typeof service === 'number') return exponential({ mean: service })
  const { kind, meanMs: mean = 0, spread, cv, shape, valuesMs: values = [] } = service
  switch (kind) {
    case 'exponential':
      return exponential({ mean })
    case 'constant':
      return deterministic({ value: mean })
    case 'uniform':
      return around({ mean, spread })
    case 'log-normal':
      return logNormal({ mean, cv })
    case 'pareto':
      return pareto({ mean, shape })
    case 'data':
      return fromData({ values })
  }
}

function changesOf(changes: ParsedScenario['changes']): readonly Change[] {
  let speedBefore = 1
  return changes
    .toSorted((a, b) => a.atS - b.atS)
    .flatMap(({ atS, servers, speed, withinS = 0, abrupt, announced }): readonly Change[] => {
      const from = speedBefore
      speedBefore = speed ?? from
      const steps = Math.max(1, Math.round(withinS / STEP_S))
      const common = { abrupt, announced, ...(servers !== undefined && { servers }) }
      if (speed === undefined) return [{ atMs: atS * 1000, ...common }]
      return Array.from({ length: steps }, (_, i) => ({
        ...common,
        atMs: (atS + (withinS * (i + (withinS > 0 ? 1 : 0))) / steps) * 1000,
        speed: from + ((speed - from) * (i + 1)) / steps,
      }))
    })
}
