import {
  atLeastZero,
  exactly,
  list,
  nullable,
  number,
  type StateSchema,
  text,
} from '../lib/state-schema.ts'
import { isSetup } from '../protocol/feedback-schema.ts'
import type { CoordinatorState } from './build-plan.ts'

/** Is this a state that a core of this version has stored? What the learner makes of its part is its own affair. */
export function isCoordinatorState(value: unknown): value is CoordinatorState {
  return has(value, {
    version: exactly(1),
    setup: isSetup,
    decision: isDecision,
    seq: atLeastZero,
    issuedAtMs: atLeastZero,
    arrivals: recordOf((rate) => has(rate, { rate: atLeastZero, seconds: atLeastZero })),
    targets: recordOf(atLeastZero),
    sessionRequests: atLeastZero,
    owed: optional(recordOf(number)),
    service: optional(isServiceBooks),
    servers: optional(isServerBooks),
    pool: optional(isPoolHealth),
  })
}

const isDecision: StateSchema = (value) =>
  has(value, {
    limit: nullable(atLeastZero),
    reason: text,
    probabilities: optional(recordOf(atLeastZero)),
    inFlightCap: optional(nullable(atLeastZero)),
    burst: optional(atLeastZero),
    requestsPerSession: optional((count) => atLeastZero(count) && count !== 0),
  })

const isServerBooks: StateSchema = (value) =>
  has(value, { inFlight: atLeastZero, responseMs: nullable(atLeastZero), drop: atLeastZero })

const isPoolHealth: StateSchema = (value) =>
  has(value, { failures: recordOf(atLeastZero), gone: list(text) })

const isServiceBooks: StateSchema = (value) =>
  has(value, {
    classes: recordOf(
      (sums) => isSent(sums) && has(sums, { offered: atLeastZero, offeredUs: atLeastZero }),
    ),
    usual: isSent,
  })

const isSent: StateSchema = (value) => has(value, { requests: atLeastZero, serviceUs: atLeastZero })

function recordOf(shape: StateSchema): StateSchema {
  return (value) => typeof value === 'object' && value !== null && Object.values(value).every(shape)
}

const optional =
  (shape: StateSchema): StateSchema =>
  (value) =>
    value === undefined || shape(value)

function has(value: unknown, fields: Readonly<Record<string, StateSchema>>): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(fields).every(([name, shape]) => shape(Reflect.get(value, name)))
}
