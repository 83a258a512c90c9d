import type { Agenda } from '../engine/agenda.ts'
import type { Streams } from '../engine/random.ts'
import type { Outcome, Requests } from '../engine/requests.ts'

/** What an origin is to the gate: requests go in, and each one comes out once. */
export interface Origin {
  submit(id: number): void
  /** The client has gone: nobody waits for this request any more. */
  abandon(id: number): void
  /** Capacity changes: so many servers from now on. */
  setServers(servers: number): void
  readonly servers: number
}

/** Hears of each request that was not abandoned when the origin is done with it. */
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
