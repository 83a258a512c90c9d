import type { CapacityEvent, Sample } from '../../src/learners/learner-interface.ts'
import type { Sending } from '../clients/clients.ts'
import type { Outcome } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { PlantClass, PlantSla } from './plant.ts'

/** Decides about admission. Each run has a policy of its own. */
export interface Policy {
  /**
   * A new session asks for admission; on request routes, a request does. `home` says where it comes
   * from. Batch policing answers with a promise.
   */
  admits(klass: number, nowMs: number, home: number): boolean | Promise<boolean>
  /** A request of an admitted session. Absent: always admitted, as in the product. */
  admitsKnown?(klass: number, nowMs: number): boolean
  /** A visitor came back too early: it is refused without a draw. */
  cameEarly?(klass: number, nowMs: number, home: number): void
  /** When a refused visitor is told to come back. Absent or null: after a random time, as in `Retry-After`. */
  comesBackMs?(home: number): number | null
  sent?(id: number, sending: Sending, nowMs: number): void
  finished?(latencyMs: number, outcome: Outcome, nowMs: number, id: number): void
  /** Once per tick: the sample of a coordinator that misses nothing. */
  tick?(sample: Sample, nowMs: number): void
  /** An operator announces a change of capacity. The next sample contains it, too. */
  announce?(event: CapacityEvent): void
  /** Clairvoyant only: is there room to spare? */
  hasRoom?(): boolean
  /** λ* in force, for the trace; infinite: none. */
  readonly limit?: number
}

/** State of a run. Policies may use `inFlight`; the rest is for the clairvoyant. */
export interface View {
  readonly inFlight: number
  readonly activeSessions: number
  /** Current capacity of the origin; one server at normal speed has 1. */
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
