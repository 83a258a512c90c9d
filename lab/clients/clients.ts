import type { Opening, Outcome } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { Visitor } from './entrance.ts'

/** What the gate is to the clients. */
export interface Door {
  /**
   * A new session asks to be let in; on request routes, a request. 0: it is. Else the earliest time of its
   * next draw, which is what `Retry-After` says. With batches the answer takes a moment.
   */
  ask(visitor: Visitor): number | Promise<number>
  /**
   * Sends a request to the origin. A request of an admitted session may be refused by policies that know
   * no sessions: then the answer is −1, else the request's number.
   */
  send(request: Sending): number
  /** The client no longer waits for this one. */
  abandon(id: number): void
  sessionOver(end: SessionEnd): void
}

export interface Sending extends Opening {
  /** The visitor's `index`: who comes from the same place has the same. */
  readonly home: number
  /** Age of its session; −1 where there are no sessions. */
  readonly ageMs: number
}

/** completed; abandoned by the visitor, who waited too long; broken off by a refusal or a failure. */
export type SessionEnd = 'completed' | 'abandoned' | 'broken'

export interface Clients {
  start(): void
  /** Their request was answered. */
  answered(id: number, outcome: Outcome): void
  /** Admitted sessions that are not over. */
  readonly activeSessions: number
}

export type ClientsFactory = (world: World, door: Door) => Clients
