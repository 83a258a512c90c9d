import type { Agenda } from '../engine/agenda.ts'
import type { Streams } from '../engine/random.ts'
import type { Outcome, Requests } from '../engine/requests.ts'

/** An origin as the gate sees it: each request goes in and comes out once. */
export interface Origin {
  /** The answer comes later, never during this call. */
  submit(id: number): void
  /** The client has left: the answer to this request is no longer wanted. */
  abandon(id: number): void
  change(change: CapacityChange): void
  /** Work per time that it can do now; one server at normal speed does 1. */
  readonly capacity: number
}

export interface CapacityChange {
  /** New number of servers, or their speeds; absent: unchanged. */
  readonly servers?: number | readonly number[]
  /** Speed of all servers: 1 is normal, 0 a pause; absent: unchanged. */
  readonly speed?: number
  /**
   * Servers that leave drop the requests in service, which then fail. Otherwise they finish them
   * first.
   */
  readonly abrupt?: boolean
  /** Name of the station, where an origin has several; absent: the first. */
  readonly station?: string
}

/**
 * Is told once about each request when the origin is done with it. This includes abandoned
 * requests: their outcome is `served` if the work was done, `abandoned` if it was dropped. The
 * listener then closes the request or passes it on.
 */
export interface OriginListener {
  finished(id: number, outcome: Outcome): void
}

/** Objects that all parts of a run share. */
export interface World {
  readonly agenda: Agenda
  readonly requests: Requests
  readonly random: Streams
}

export type OriginFactory = (world: World, listener: OriginListener) => Origin
