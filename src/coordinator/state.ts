import type { Decision } from '../learners/learner-interface.ts'
import {
  atLeastZero,
  flag,
  list,
  nullable,
  number,
  objectWith,
  optional,
  positive,
  record,
  text,
} from '../lib/state-schema.ts'
import type { PoolServer, Setup } from '../protocol/feedback.ts'
import { isPool, isSetup } from '../protocol/feedback-schema.ts'
import { isNeighbour } from '../protocol/version.ts'
import type { AnswerTotals } from './answer-totals.ts'
import type { ArrivalRate } from './arrival-rate.ts'
import { NO_SERVICE_TOTALS, type ServiceTotals } from './class-cost.ts'
import type { ClassLimitStates } from './class-limits.ts'
import type { ClassTimes } from './class-times.ts'
import { type CommandState, isCommandState, NOTHING_COMMANDED } from './command-state.ts'
import type { GuaranteeDebt } from './guarantee-debt.ts'
import type { KnownArrivals } from './known-arrivals.ts'
import { type MeasuredCapacity, NOTHING_MEASURED } from './measured-capacity.ts'
import { NO_SERVER_LOAD, type SmoothedServerLoad } from './origin-load.ts'
import { ALL_SERVERS_UP, type PoolHealth } from './pool-health.ts'
import { isQualityState, type QualityState } from './quality/quality-control.ts'
import { isQueueState } from './queue/class-queue.ts'
import type { QueueStates } from './queue/queue-rates.ts'

/** After a deployment is rolled back, the state of the version after this one is used as far as it is known. */
const STATE_VERSION = 1

/** Everything that must survive a restart: a plain JSON value. */
export interface CoordinatorState {
  readonly version: typeof STATE_VERSION
  readonly setup: Setup
  /** The learner's own state. The learner checks it. */
  readonly learner: unknown
  readonly decision: Decision
  /** Number and time of the last tick. */
  readonly seq: number
  readonly issuedAtMs: number
  /** By class key. */
  readonly arrivals: Readonly<Record<string, ArrivalRate>>
  readonly known: KnownArrivals
  /** By route, and by key of classes with an SLA of their own: index of the target in force in the SLA's table. */
  readonly targets: Readonly<Record<string, number>>
  /** Requests per second of sessions that were admitted before. */
  readonly sessionRequests: number
  readonly guaranteeDebt: GuaranteeDebt
  readonly serviceTotals: ServiceTotals
  readonly answerTotals: AnswerTotals
  readonly classTimes: ClassTimes
  readonly serverLoad: SmoothedServerLoad
  readonly poolHealth: PoolHealth
  readonly commanded: CommandState
  /** Servers that an operator or an autoscaler set instead of the configured ones; null: the configured ones. */
  readonly pool: readonly PoolServer[] | null
  readonly quality: QualityState
  /** null: no capacity is planned. The planner checks it. */
  readonly capacity: unknown
  /** The waiting rooms, by class key. */
  readonly queues: QueueStates
  /** The classes that are limited by themselves, by class key. */
  readonly classLimits: ClassLimitStates
  readonly measured: MeasuredCapacity
  /** Since when it is calm; null: it is not. */
  readonly calmSinceMs: number | null
}

/** The state with a new setup: keeps what `from` has, and starts from nothing for the rest. */
export function stateWith(
  setup: Setup,
  learner: unknown,
  from: Partial<CoordinatorState>,
): CoordinatorState {
  return {
    version: STATE_VERSION,
    setup,
    learner,
    decision: from.decision ?? { limit: null, reason: 'cold' },
    seq: from.seq ?? 0,
    issuedAtMs: from.issuedAtMs ?? setup.sinceMs,
    arrivals: from.arrivals ?? {},
    known: from.known ?? {},
    targets: from.targets ?? {},
    sessionRequests: from.sessionRequests ?? 0,
    guaranteeDebt: from.guaranteeDebt ?? {},
    serviceTotals: from.serviceTotals ?? NO_SERVICE_TOTALS,
    answerTotals: from.answerTotals ?? {},
    classTimes: from.classTimes ?? {},
    serverLoad: from.serverLoad ?? NO_SERVER_LOAD,
    poolHealth: from.poolHealth ?? ALL_SERVERS_UP,
    commanded: from.commanded ?? NOTHING_COMMANDED,
    pool: from.pool ?? null,
    quality: from.quality ?? {},
    capacity: from.capacity ?? null,
    queues: from.queues ?? {},
    classLimits: from.classLimits ?? {},
    measured: from.measured ?? NOTHING_MEASURED,
    calmSinceMs: from.calmSinceMs ?? null,
  }
}

/** What storage may hold: an older version did not write all fields. */
type StoredState = Partial<CoordinatorState> & Pick<CoordinatorState, 'setup'>

const sent = { requests: atLeastZero, serviceUs: atLeastZero }

const decision = objectWith({
  limit: nullable(atLeastZero),
  reason: text,
  probabilities: optional(record(atLeastZero)),
  rates: optional(record(atLeastZero)),
  arrivals: optional(atLeastZero),
  inFlightCap: optional(nullable(atLeastZero)),
  burst: optional(atLeastZero),
  requestsPerSession: optional(positive),
})

const hasStateForm = objectWith({
  version: (version) => version === STATE_VERSION || isNeighbour(version, STATE_VERSION),
  setup: isSetup,
  decision,
  seq: atLeastZero,
  issuedAtMs: atLeastZero,
  classLimits: optional(record(objectWith({ decision }))),
  measured: optional(
    objectWith({
      inTime: atLeastZero,
      best: nullable(atLeastZero),
      isDrowning: flag,
      perSession: nullable(atLeastZero),
      announced: list(
        objectWith({
          atMs: atLeastZero,
          before: atLeastZero,
          after: atLeastZero,
          base: nullable(atLeastZero),
          verdict: text,
          measured: atLeastZero,
          overloadS: atLeastZero,
        }),
      ),
    }),
  ),
  arrivals: record(objectWith({ rate: atLeastZero, seconds: atLeastZero })),
  known: optional(record(atLeastZero)),
  targets: record(atLeastZero),
  sessionRequests: atLeastZero,
  guaranteeDebt: optional(record(number)),
  serviceTotals: optional(
    objectWith({
      classes: record(objectWith({ ...sent, offered: atLeastZero, offeredUs: atLeastZero })),
      usual: objectWith(sent),
    }),
  ),
  answerTotals: optional(
    record(
      objectWith({
        answers: atLeastZero,
        extra: number,
        ignored: optional(atLeastZero),
        mix: optional(atLeastZero),
      }),
    ),
  ),
  classTimes: optional(
    record(
      objectWith({
        calmMs: nullable(atLeastZero),
        isCalm: flag,
        answers: atLeastZero,
        levelSumMs: number,
        classes: record(
          objectWith({
            extraMs: number,
            weight: atLeastZero,
            variance: atLeastZero,
            isCalm: flag,
            usual: atLeastZero,
          }),
        ),
      }),
    ),
  ),
  serverLoad: optional(
    objectWith({ inFlight: atLeastZero, responseMs: nullable(atLeastZero), drop: atLeastZero }),
  ),
  pool: optional(nullable(isPool)),
  poolHealth: optional(
    objectWith({
      failures: record(atLeastZero),
      removed: list(text),
      rising: optional(record(atLeastZero)),
      lastRequests: optional(record(atLeastZero)),
    }),
  ),
  commanded: optional(isCommandState),
  queues: optional(record(isQueueState)),
  quality: optional(isQualityState),
  calmSinceMs: optional(nullable(atLeastZero)),
})

export function isStoredState(value: unknown): value is StoredState {
  return hasStateForm(value)
}
