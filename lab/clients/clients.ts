import type { Opening, Outcome } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { Visitor } from './entrance.ts'

/** The gate as the clients see it. */
export interface ClientGate {
  /**
   * A new session asks for admission; on request routes, a request does. Returns 0 if it is
   * admitted, otherwise the earliest time of its next draw, as in `Retry-After`. Batch policing
   * answers with a promise.
   */
  ask(visitor: Visitor): number | Promise<number>
  /**
   * Sends a request to the origin. Policies without sessions may refuse a request of an admitted
   * session: then it returns −1, otherwise the request's number.
   */
  send(request: Sending): number
  /** The client stops waiting for this request. */
  abandon(id: number): void
  sessionOver(end: SessionEnd): void
}

export interface Sending extends Opening {
  /** The visitor's `index`. Visitors from the same place have the same one. */
  readonly home: number
  /** Age of the session; −1 on routes without sessions. */
  readonly ageMs: number
}

/**
 * Completed; abandoned by the visitor after too long a wait; or broken off by a refusal or a
 * failure.
 */
export type SessionEnd = 'completed' | 'abandoned' | 'broken'

export interface Clients {
  start(): void
  /** The origin has answered a request of these clients. */
  answered(id: number, outcome: Outcome): void
  /** Admitted sessions that have not ended. */
  readonly activeSessions: number
}

export type ClientsFactory = (world: World, gate: ClientGate) => Clients
