import { object, record, type StateSchema } from '../lib/state-schema.ts'
import {
  isRevoked,
  isStock,
  mergeCommands,
  type OriginCommands,
  type Stock,
} from '../protocol/commands.ts'
import type { Plan, RoutePlan } from '../protocol/plan.ts'

/** What the origin has commanded so far: a plain JSON value. */
export interface CommandState {
  /** By route, what was said last. */
  readonly stock: Readonly<Record<string, Stock>>
  /** Sessions that have ended, until their cookies expire; null: none ever has. */
  readonly revoked: Readonly<Record<string, number>> | null
}

/** Every plan carries the list. With 2000 entries it has about 50 KB, so the ones that expire first make room. */
const MOST_REVOKED = 2000

export const NOTHING_COMMANDED: CommandState = { stock: {}, revoked: null }

export const isCommandState: StateSchema = object({
  stock: record(isStock),
  revoked: (value) => value === null || isRevoked(value),
})

export function commandedAfter(
  before: CommandState,
  commands: OriginCommands,
  routes: ReadonlySet<string>,
): CommandState {
  const { stock = {}, revoked } = mergeCommands(
    { stock: before.stock, ...(before.revoked ? { revoked: before.revoked } : {}) },
    commands,
  )
  const known = Object.entries(stock).filter(([route]) => routes.has(route))
  return { stock: Object.fromEntries(known), revoked: revoked ? bounded(revoked) : null }
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
export function withCommands(plan: Plan, { stock, revoked }: CommandState): Plan {
  const routes = Object.entries(plan.routes).map(([name, { soldOut: _, ...route }]) => {
    const isSoldOut = stock[name]?.left === 0
    return [name, isSoldOut ? { ...route, soldOut: true } : route] as [string, RoutePlan]
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
