import type { QueueEvent } from '../../config/config.ts'
import type { Setup } from '../../protocol/feedback.ts'
import type { Operator, OperatorAction } from './action.ts'
import type { HistoryRange } from './history.ts'

/** What the admin API asks a coordinator. Each is a plain JSON value, and so is each answer. */
export type DeskRequest =
  /** `routes` null: all of the origin. */
  | { readonly op: 'status'; readonly routes: readonly string[] | null }
  | { readonly op: 'history'; readonly route: string; readonly range: HistoryRange }
  | ({ readonly op: 'events' | 'audit' } & LogQuery)
  | { readonly op: 'metrics' }
  | { readonly op: 'verdicts'; readonly limit: number; readonly route: string | null }
  | ({ readonly op: 'act' } & ActRequest)
  | { readonly op: 'room-events'; readonly route: string }
  | ({ readonly op: 'set-room-event' } & RoomEventRequest)
  | {
      readonly op: 'undo'
      readonly route: string
      readonly id: string
      readonly operator: Operator
    }

export interface LogQuery {
  readonly limit: number
  /** Only entries before this time; null: the newest. */
  readonly beforeMs: number | null
  /** null: of all routes. */
  readonly route: string | null
}

export interface ActRequest {
  readonly route: string
  readonly action: OperatorAction
  /** Ends by itself after this time; null: not. */
  readonly forMs: number | null
  readonly note: string | null
  readonly operator: Operator
  /** What the coordinator learns of its origin if no report has come yet. */
  readonly setup: Setup
}

export interface RoomEventRequest {
  readonly route: string
  readonly name: string
  /** null: it is deleted. */
  readonly event: QueueEvent | null
  readonly operator: Operator
  readonly setup: Setup
}

export type DeskAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: 400 | 404 | 409; readonly detail: string }

/** How the admin API reaches the coordinators. */
export interface OperatorPort {
  ask(origin: string, request: DeskRequest): Promise<DeskAnswer>
  /** Opens a WebSocket with the status of one route; absent: there is none, and clients poll. */
  live?(origin: string, route: string, request: Request): Promise<Response>
}
