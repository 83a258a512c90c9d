import type { Agenda } from '../engine/agenda.ts'
import type { Streams } from '../engine/random.ts'
import type { Outcome, Requests } from '../engine/requests.ts'

/** What an origin is to the gate: requests go in, and each one comes out once. */
export interface Origin {
  /** The answer comes later, never within this call. */
  submit(id: number): void
  /** The client has gone: nobody waits for this request any more. */
  abandon(id: number): void
  change(change: CapacityChange): void
  /** Work per time that it can do now; one server at normal speed does 1. */
  readonly capacity: number
}

export interface CapacityChange {
  /** So many servers from now on, or these by their speeds; absent: as they are. */
  readonly servers?: number | readonly number[]
  /** Speed of all servers, 1 is normal, 0 a pause; absent: as it is. */
  readonly speed?: number
  /** Servers that go drop what they have begun, and it fails; else they finish it first. */
  readonly abrupt?: boolean
  /** Which station, where an origin has several; absent: the first. */
  readonly station?: string
}

/**
 * Hears of every request once when the origin is done with it, abandoned ones too: `served` for nobody, or
 * `abandoned` if the work was dropped. The request is then the listener's to close or to pass on.
 */
export interface OriginListener {
  finished(id: number, outcome: Outcome): void
}

/** What every part of a run shares. */
export interface World {
  readonly agenda: Agenda
  readonly requests: Requests
  readonly random: Streams
}

export type OriginFactory = (world: World, listener: OriginListener) => Origin
