import type { RouteConfig } from '../../src/config/user-config.ts'
import type { RetryRule } from '../crowd/visitor.ts'
import type { ServiceLaw } from '../origin/service-law.ts'
import type { StationChange, StationOptions } from '../origin/station.ts'
import type { Attack } from './attack.ts'

/** The world of one trial, as data. Times in it are relative to the start of the crowd. */

export interface OriginChange extends StationChange {
  readonly atS: number
}

export interface OriginWorld extends StationOptions {
  readonly service: ServiceLaw
  readonly changes?: readonly OriginChange[]
}

/** One part of the crowd: the sessions of one class. */
export interface CrowdPart {
  /** First folder of its paths: `/name/…`. */
  readonly name: string
  /** Its share of the sessions. */
  readonly part: number
}

export interface CrowdWorld {
  /** From when on which load is offered, as a multiple of the capacity at the start. */
  readonly load: readonly { readonly fromS: number; readonly load: number }[]
  /** Mean pages of a session; the number is geometric. */
  readonly pages: number
  /** Mean time between the pages of a session; exponential. */
  readonly thinkMs: number
  readonly patienceMs: number
  /** @default never */
  readonly retry?: RetryRule
  /** @default one part, `page` */
  readonly parts?: readonly CrowdPart[]
}

export interface TrialCase {
  readonly name: string
  readonly text: string
  /** 60 to 180. */
  readonly seconds: number
  readonly origin: OriginWorld
  readonly targetMs: number
  /** @default 95 */
  readonly percentile?: number
  /** What the route sets besides its origin and its SLA. */
  readonly route?: Pick<RouteConfig, 'granularity' | 'classes'>
  readonly crowd: CrowdWorld
  /** @default none */
  readonly attack?: Attack
  /**
   * `calibrated`: the best rate within the SLA that the origin reaches without a gate, found in
   * simulated time. @default what servers and mean service time give
   */
  readonly capacity?: 'calibrated'
  /** Share of the capacity that the gate must reach. @default `DEFAULT_GOAL` */
  readonly goal?: number
}

export const DEFAULT_GOAL = 0.9

/** When the load first exceeds the capacity. */
export function onsetS({ crowd }: TrialCase): number {
  return crowd.load.find(({ load }) => load > 1)?.fromS ?? 0
}

/** Time after the onset from which on a trial is measured. */
export const SETTLE_S = 10

/** The same case in other time: all its times grow or shrink with its length. */
export function inSeconds(trial: TrialCase, seconds: number): TrialCase {
  const factor = seconds / trial.seconds
  const { origin, crowd } = trial
  return {
    ...trial,
    seconds,
    origin: {
      ...origin,
      changes: (origin.changes ?? []).map((change) => ({ ...change, atS: change.atS * factor })),
    },
    crowd: {
      ...crowd,
      load: crowd.load.map(({ fromS, load }) => ({ fromS: fromS * factor, load })),
    },
    ...(trial.attack ? { attack: scaledAttack(trial.attack, factor) } : {}),
  }
}

function scaledAttack(attack: Attack, factor: number): Attack {
  const { burst } = attack
  return {
    ...attack,
    fromS: attack.fromS * factor,
    toS: attack.toS * factor,
    ...(burst ? { burst: { lengthS: burst.lengthS * factor, everyS: burst.everyS * factor } } : {}),
  }
}
