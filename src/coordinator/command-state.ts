import type { QueueEvent } from '../config/config.ts'
import {
  atLeastZero,
  list,
  nullable,
  object,
  objectWith,
  optional,
  record,
  type StateSchema,
  text,
} from '../lib/state-schema.ts'
import {
  isRevoked,
  isStock,
  mergeCommands,
  type OriginCommands,
  type Stock,
} from '../protocol/commands.ts'
import type { Plan, RoutePlan } from '../protocol/plan.ts'

/** By route, the events of its waiting room that operators made. */
export type RoomEvents = Readonly<Record<string, readonly QueueEvent[]>>

/** What an origin or an operator commands. An operator gives all events of a route at once. */
export type Commands = OriginCommands & { readonly events?: RoomEvents }

/** What the origin has commanded so far: a plain JSON value. */
export interface CommandState {
  /** By route, what was said last. */
  readonly stock: Readonly<Record<string, Stock>>
  /** Sessions that have ended, until their cookies expire; null: none ever has. */
  readonly revoked: Readonly<Record<string, number>> | null
  /** Absent: operators made none. */
  readonly events?: RoomEvents
}

/** Every plan carries the list. With 2000 entries it has about 50 KB, so the ones that expire first make room. */
const MOST_REVOKED = 2000

export const NOTHING_COMMANDED: CommandState = { stock: {}, revoked: null }

export const isCommandState: StateSchema = object({
  stock: record(isStock),
  revoked: (value) => value === null || isRevoked(value),
  events: optional(
    record(
      list(
        objectWith({
          ...{ name: text, preQueueMs: atLeastZero, opensMs: nullable(atLeastZero) },
          ...{ closesMs: nullable(atLeastZero), reopensMs: nullable(atLeastZero) },
        }),
      ),
    ),
  ),
})

export function commandedAfter(
  before: CommandState,
  commands: Commands,
  routes: ReadonlySet<string>,
): CommandState {
  const { stock = {}, revoked } = mergeCommands(
    { stock: before.stock, ...(before.revoked ? { revoked: before.revoked } : {}) },
    commands,
  )
  const known = Object.entries(stock).filter(([route]) => routes.has(route))
  const events = Object.entries({ ...before.events, ...commands.events }).filter(
    ([route, list]) => routes.has(route) && list.length > 0,
  )
  return {
    stock: Object.fromEntries(known),
    revoked: revoked ? bounded(revoked) : null,
    ...(events.length > 0 ? { events: Object.fromEntries(events) } : {}),
  }
}

/** Cookies that have expired need no entry. */
export function withoutExpired(state: CommandState, nowMs: number): CommandState {
  const { revoked } = state
  if (revoked === null) return state
  const entries = Object.entries(revoked)
  const current = entries.filter(([, untilMs]) => untilMs > nowMs)
  return current.length === entries.length
    ? state
    : { ...state, revoked: Object.fromEntries(current) }
}

/** The plan with what the origin has commanded. */
export function withCommands(plan: Plan, { stock, revoked, events }: CommandState): Plan {
  const routes = Object.entries(plan.routes).map(([name, { soldOut: _, events: __, ...route }]) => {
    const soldOut = stock[name]?.left === 0 ? { soldOut: true as const } : {}
    const made = events?.[name] === undefined ? {} : { events: events[name] }
    return [name, { ...route, ...soldOut, ...made }] as [string, RoutePlan]
  })
  const { revoked: _, ...others } = plan
  return {
    ...others,
    ...(revoked === null ? {} : { revoked }),
    routes: Object.fromEntries(routes),
  }
}

function bounded(revoked: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const entries = Object.entries(revoked)
  if (entries.length <= MOST_REVOKED) return revoked
  entries.sort(([, a], [, b]) => b - a)
  return Object.fromEntries(entries.slice(0, MOST_REVOKED))
}
