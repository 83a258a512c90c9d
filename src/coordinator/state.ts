import type { Decision } from '../learners/learner-interface.ts'
import {
  atLeastZero,
  exactly,
  list,
  nullable,
  number,
  objectWith,
  optional,
  positive,
  record,
  text,
} from '../lib/state-schema.ts'
import type { Setup } from '../protocol/feedback.ts'
import { isSetup } from '../protocol/feedback-schema.ts'
import type { ArrivalRate } from './arrival-rate.ts'
import { NO_SERVICE_TOTALS, type ServiceTotals } from './class-cost.ts'
import type { GuaranteeDebt } from './guarantee-debt.ts'
import { NO_SERVER_LOAD, type SmoothedServerLoad } from './origin-load.ts'
import { ALL_SERVERS_UP, type PoolHealth } from './pool-health.ts'

/** Everything that must survive a restart: a plain JSON value. */
export interface CoordinatorState {
  readonly version: 1
  readonly setup: Setup
  /** The learner's own state. The learner checks it. */
  readonly learner: unknown
  readonly decision: Decision
  /** Number and time of the last tick. */
  readonly seq: number
  readonly issuedAtMs: number
  /** By class key. */
  readonly arrivals: Readonly<Record<string, ArrivalRate>>
  /** By route: index of the target in force in the SLA's table. */
  readonly targets: Readonly<Record<string, number>>
  /** Requests per second of sessions that were admitted before. */
  readonly sessionRequests: number
  readonly guaranteeDebt: GuaranteeDebt
  readonly serviceTotals: ServiceTotals
  readonly serverLoad: SmoothedServerLoad
  readonly poolHealth: PoolHealth
}

/** The state with a new setup: keeps what `from` has, and starts from nothing for the rest. */
export function stateWith(
  setup: Setup,
  learner: unknown,
  from: Partial<CoordinatorState>,
): CoordinatorState {
  return {
    version: 1,
    setup,
    learner,
    decision: from.decision ?? { limit: null, reason: 'cold' },
    seq: from.seq ?? 0,
    issuedAtMs: from.issuedAtMs ?? setup.sinceMs,
    arrivals: from.arrivals ?? {},
    targets: from.targets ?? {},
    sessionRequests: from.sessionRequests ?? 0,
    guaranteeDebt: from.guaranteeDebt ?? {},
    serviceTotals: from.serviceTotals ?? NO_SERVICE_TOTALS,
    serverLoad: from.serverLoad ?? NO_SERVER_LOAD,
    poolHealth: from.poolHealth ?? ALL_SERVERS_UP,
  }
}

/** What storage may hold: an older version did not write all fields. */
type StoredState = Partial<CoordinatorState> & Pick<CoordinatorState, 'setup'>

const sent = { requests: atLeastZero, serviceUs: atLeastZero }

const hasStateForm = objectWith({
  version: exactly(1),
  setup: isSetup,
  decision: objectWith({
    limit: nullable(atLeastZero),
    reason: text,
    probabilities: optional(record(atLeastZero)),
    inFlightCap: optional(nullable(atLeastZero)),
    burst: optional(atLeastZero),
    requestsPerSession: optional(positive),
  }),
  seq: atLeastZero,
  issuedAtMs: atLeastZero,
  arrivals: record(objectWith({ rate: atLeastZero, seconds: atLeastZero })),
  targets: record(atLeastZero),
  sessionRequests: atLeastZero,
  guaranteeDebt: optional(record(number)),
  serviceTotals: optional(
    objectWith({
      classes: record(objectWith({ ...sent, offered: atLeastZero, offeredUs: atLeastZero })),
      usual: objectWith(sent),
    }),
  ),
  serverLoad: optional(
    objectWith({ inFlight: atLeastZero, responseMs: nullable(atLeastZero), drop: atLeastZero }),
  ),
  poolHealth: optional(objectWith({ failures: record(atLeastZero), removed: list(text) })),
})

export function isStoredState(value: unknown): value is StoredState {
  return hasStateForm(value)
}
