import type { Operator, OperatorAction } from './action.ts'

/** Something that happened at an origin, for the line of events and the log. */
export interface OriginEvent {
  readonly id: string
  readonly atMs: number
  readonly origin: string
  /** null: it concerns all routes of the origin. */
  readonly route: string | null
  readonly kind: EventKind
  /** One sentence. */
  readonly text: string
}

export const EVENT_KINDS = [
  ...['surge-began', 'surge-ended', 'capacity-changed', 'server-down', 'server-up'],
  ...['overcommitted', 'configuration', 'action', 'action-ended', 'undo'],
] as const satisfies readonly string[]

export type EventKind = (typeof EVENT_KINDS)[number]

/** What an operator did, or what ended by itself at its time. */
export interface AuditEntry extends Omit<Operator, 'via'> {
  readonly id: string
  readonly atMs: number
  readonly origin: string
  readonly route: string
  readonly kind: AuditKind
  /** `timer`: it ended by itself. */
  readonly via: Operator['via'] | 'timer'
  /** One sentence. */
  readonly text: string
  /** The class whose value or guarantee changed; absent: no class. */
  readonly class?: string
  readonly from: AuditValue
  readonly to: AuditValue
  /** When it ends by itself; null: it does not. */
  readonly untilMs: number | null
  readonly note?: string
  /** The entry that this one takes back or ends. */
  readonly undoes?: string
}

export type AuditKind =
  | OperatorAction['action']
  | 'undo'
  | 'end'
  | 'room-event' // an event of the waiting room was made, changed or deleted
  | 'stock'
  | 'servers'
  | 'drain'
  | 'tier'
  | 'hours' // the history of an access log was imported

/** A change that is no override: who made it, and one sentence. */
export interface OperatorChange
  extends Pick<AuditEntry, 'route' | 'kind' | 'text' | 'from' | 'to'> {
  readonly operator: Operator
}

/** null: the learner or the configuration decides. */
export type AuditValue = string | number | null

/** What the page of a log has. */
export interface LogPage<Entry> {
  /** Newest first. */
  readonly entries: readonly Entry[]
  /** `before` of the next page; null: there is none. */
  readonly next: number | null
}
