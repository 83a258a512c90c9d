import type { CapacityEvent, Sample } from '../../src/learners/learner.ts'
import type { Sending } from '../clients/clients.ts'
import type { Outcome } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { PlantClass, PlantSla } from './plant.ts'

/** Who is let in. One run, one policy. */
export interface Policy {
  /** A new session asks; on request routes, a request. `home` says where it comes from. Batches answer later. */
  admits(klass: number, nowMs: number, home: number): boolean | Promise<boolean>
  /** A request of an admitted session; absent: let through, as the product always does. */
  admitsKnown?(klass: number, nowMs: number): boolean
  /** Somebody came back before the time told: they are refused without a draw. */
  cameEarly?(klass: number, nowMs: number, home: number): void
  sent?(id: number, sending: Sending, nowMs: number): void
  finished?(latencyMs: number, outcome: Outcome, nowMs: number, id: number): void
  /** Once a tick: what a coordinator that misses nothing has seen. */
  tick?(sample: Sample, nowMs: number): void
  /** More or less capacity, by the word of an operator; the next sample tells of it too. */
  announce?(event: CapacityEvent): void
  /** Only the clairvoyant knows: is there room to spare? */
  hasRoom?(): boolean
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

export type PolicyFactory = (view: View, setting: Setting, world: World) => Policy

/** What a policy may know before it starts. */
export interface Setting {
  readonly granularity: 'session' | 'request'
  readonly tickMs: number
  /** In the order of the clients' class numbers. */
  readonly classes: readonly PlantClass[]
  readonly tiers: readonly string[]
  readonly sla: PlantSla
}

export const letAllIn: PolicyFactory = () => ({ admits: () => true })
