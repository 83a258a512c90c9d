import {
  atLeastZero,
  exactly,
  list,
  nullable,
  object,
  type StateSchema,
} from '../../lib/state-schema.ts'
import type { LearnerState } from '../learner-interface.ts'
import { type Capacity, isCapacity, NO_CAPACITY } from './capacity.ts'
import { isCurve, type LateCurve, NO_CURVE } from './curve.ts'
import { type Flow, isFlow, NO_FLOW } from './flow.ts'
import { isPipe, NO_PIPE, type Pipe } from './forecast.ts'
import { isSessions, NO_SESSIONS, type Sessions } from './kernel.ts'
import { FIRST_POINT, isOperatingPoint, type OperatingPoint } from './operating-point.ts'
import { isReach, NO_REACH, type Reach } from './reach.ts'
import { type Interval, isInterval, NO_INTERVAL } from './tick.ts'
import { isTier, type Tier } from './tiers.ts'

/** The largest goodput since response times changed, and for how many intervals servers have been idle since. */
export interface Peak {
  readonly rate: number
  readonly responseS: number
  readonly idle: number
}

export interface SocLqrState extends LearnerState {
  readonly version: 4
  readonly tiers: readonly Tier[]
  readonly interval: Interval
  readonly flow: Flow
  readonly capacity: Capacity
  readonly reach: Reach
  readonly point: OperatingPoint
  readonly curve: LateCurve
  readonly peak: Peak
  /** After a change, from 1 to 0: what was admitted before it is still there, and nothing is judged. */
  readonly settling: number
  readonly sessions: Sessions
  readonly pipe: Pipe
  /** Decided last. */
  readonly limit: number | null
  readonly burst: number
  readonly cap: number | null
}

export const isSocLqrState: StateSchema = object({
  version: exactly(4),
  tiers: list(isTier),
  interval: isInterval,
  flow: isFlow,
  capacity: isCapacity,
  reach: isReach,
  point: isOperatingPoint,
  curve: isCurve,
  peak: object({ rate: atLeastZero, responseS: atLeastZero, idle: atLeastZero }),
  settling: atLeastZero,
  sessions: isSessions,
  pipe: isPipe,
  limit: nullable(atLeastZero),
  burst: atLeastZero,
  cap: nullable(atLeastZero),
})

export const FRESH_STATE: SocLqrState = {
  version: 4,
  tiers: [],
  interval: NO_INTERVAL,
  flow: NO_FLOW,
  capacity: NO_CAPACITY,
  reach: NO_REACH,
  point: FIRST_POINT,
  curve: NO_CURVE,
  peak: { rate: 0, responseS: 0, idle: 0 },
  settling: 0,
  sessions: NO_SESSIONS,
  pipe: NO_PIPE,
  limit: null,
  burst: 0,
  cap: null,
}
