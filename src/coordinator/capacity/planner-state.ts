import type { Sample } from '../../learners/learner-interface.ts'
import {
  atLeastZero,
  list,
  nullable,
  object,
  objectWith,
  oneOf,
  positive,
  record,
  type StateSchema,
} from '../../lib/state-schema.ts'
import type { CapacityAnswer } from './answer.ts'
import type { Claim } from './arbitrate.ts'
import { isLoadMeasure, type LoadMeasure, NO_LOAD } from './load-measure.ts'
import type { PlannedSla } from './origin-slas.ts'
import { isTierMeasures, type TierMeasures } from './tier-measures.ts'

/** What the last tick knew, for plans in a time without reports. */
export interface LastTick {
  readonly granularity: Sample['granularity']
  /** In the unit of the limit. */
  readonly admittedRate: number
  /** The learner's limit, and its own estimate of the requests in a session. */
  readonly limit: number | null
  readonly requestsPerSession: number | null
  /** The strictest of the SLAs to keep, at the planned rate. */
  readonly sla: PlannedSla
  readonly classes: Claim['classes']
}

/** What capacity planning must not lose in a restart: a plain JSON value. The history of the hours is stored apart. */
export interface CapacityState {
  readonly tiers: TierMeasures
  readonly load: LoadMeasure
  /** Servers by tier, as the pool or the autoscaler says. */
  readonly current: Readonly<Record<string, number>>
  /** The minute whose arrivals are being counted. */
  readonly minute: { readonly fromMs: number; readonly offered: number } | null
  /** The peak rate for which the servers are planned; null: nothing is planned yet. */
  readonly plannedRate: number | null
  /** The hour for which the prediction was last used. */
  readonly plannedHour: number | null
  /** The peak that was predicted then. */
  readonly plannedPeak: number | null
  readonly comparedAtMs: number | null
  readonly changedAtMs: number | null
  readonly answer: CapacityAnswer | null
  readonly last: LastTick | null
}

export const NO_CAPACITY_STATE: CapacityState = {
  tiers: {},
  load: NO_LOAD,
  current: {},
  minute: null,
  plannedRate: null,
  plannedHour: null,
  plannedPeak: null,
  comparedAtMs: null,
  changedAtMs: null,
  answer: null,
  last: null,
}

const isAnswer = objectWith({
  sequence: atLeastZero,
  decidedAtMs: atLeastZero,
  validUntilMs: atLeastZero,
  heldRate: nullable(atLeastZero),
  tiers: record(objectWith({ current: positive, desired: positive })),
})

const isLastTick = object({
  granularity: oneOf('session', 'request'),
  admittedRate: atLeastZero,
  limit: nullable(atLeastZero),
  requestsPerSession: nullable(positive),
  sla: objectWith({
    percentile: positive,
    targets: list(object({ fromRate: atLeastZero, targetMs: positive })),
  }),
  classes: list(object({ value: atLeastZero, rate: atLeastZero, guaranteed: atLeastZero })),
})

export const isCapacityState: StateSchema = object({
  tiers: isTierMeasures,
  load: isLoadMeasure,
  current: record(positive),
  minute: nullable(object({ fromMs: atLeastZero, offered: atLeastZero })),
  plannedRate: nullable(atLeastZero),
  plannedHour: nullable(atLeastZero),
  plannedPeak: nullable(atLeastZero),
  comparedAtMs: nullable(atLeastZero),
  changedAtMs: nullable(atLeastZero),
  answer: nullable(isAnswer),
  last: nullable(isLastTick),
})
