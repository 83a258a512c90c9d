import {
  atLeastZero,
  exactly,
  list,
  nullable,
  object,
  optional,
  type StateSchema,
} from '../../lib/state-schema.ts'
import type { LearnerState } from '../learner-interface.ts'
import { type Flow, isFlow, NO_FLOW } from './backlog.ts'
import { type Gain, isGain, USUAL_GAIN } from './gain.ts'
import { type InService, isInService, NONE_IN_SERVICE } from './in-service.ts'
import { type Interval, isInterval, NO_INTERVAL } from './interval.ts'
import { isKnowledge, type Knowledge, nothingKnown } from './knowledge.ts'
import { isPipe, type Pipe } from './pipe.ts'
import { isSessions, NO_SESSIONS, type Sessions } from './sessions.ts'
import { isTier, type Tier } from './tiers.ts'

export interface SocLqrState extends LearnerState {
  readonly version: 1
  readonly knowledge: Knowledge
  readonly sessions: Sessions
  readonly tiers: readonly Tier[]
  readonly interval: Interval
  readonly inService: InService
  readonly flow: Flow
  readonly gain: Gain
  /** Absent: a state of before there was one. */
  readonly pipe?: Pipe
  /** Decided last. */
  readonly limit: number | null
  readonly burst: number
  readonly cap: number | null
}

export const isSocLqrState: StateSchema = object({
  version: exactly(1),
  knowledge: isKnowledge,
  sessions: isSessions,
  tiers: list(isTier),
  interval: isInterval,
  inService: isInService,
  flow: isFlow,
  gain: isGain,
  pipe: optional(isPipe),
  limit: nullable(atLeastZero),
  burst: atLeastZero,
  cap: nullable(atLeastZero),
})

export function freshState(headroom: number): SocLqrState {
  return {
    version: 1,
    knowledge: nothingKnown(headroom),
    sessions: NO_SESSIONS,
    tiers: [],
    interval: NO_INTERVAL,
    inService: NONE_IN_SERVICE,
    flow: NO_FLOW,
    gain: USUAL_GAIN,
    limit: null,
    burst: 0,
    cap: null,
  }
}
