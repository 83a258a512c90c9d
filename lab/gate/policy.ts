import type { Sample } from '../../src/control/learner.ts'
import type { Outcome } from '../engine/requests.ts'

/** Who is let in. One run, one policy. */
export interface Policy {
  /** A new session asks; on request routes, a request. */
  admits(klass: number, nowMs: number): boolean
  /** A request of an admitted session; absent: let through, as the product always does. */
  admitsKnown?(klass: number, nowMs: number): boolean
  finished?(latencyMs: number, outcome: Outcome, nowMs: number): void
  /** Once a tick: what the coordinator has seen. */
  tick?(sample: Sample, nowMs: number): void
  /** λ* in force, for the trace; infinite: none. */
  readonly limit?: number
}

/** What can be known of a run. Policies may use `inFlight`; the rest is for the clairvoyant. */
export interface View {
  readonly inFlight: number
  readonly activeSessions: number
  /** What the origin can do now; one server at normal speed does 1. */
  readonly capacity: number
}

export type PolicyFactory = (view: View, setting: Setting) => Policy

/** What a policy may know before it starts. */
export interface Setting {
  readonly granularity: 'session' | 'request'
  readonly tickMs: number
  /** From a decision until it acts. */
  readonly delayMs: number
  /** In the order of the clients' class numbers. */
  readonly classes: readonly PlantClass[]
  readonly sla: PlantSla
}

export interface PlantClass {
  /** route/class */
  readonly key: string
  readonly value: number
}

export interface PlantSla {
  readonly percentile: number
  readonly targetMs: number
  readonly windowMs: number
}

export const letAllIn: PolicyFactory = () => ({ admits: () => true })
