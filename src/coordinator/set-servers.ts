import type { CapacityEvent } from '../learners/learner-interface.ts'
import type { PoolServer, Setup } from '../protocol/feedback.ts'
import { weightOf, withPool } from './pool-change.ts'
import { risingWith } from './pool-health.ts'
import type { CoordinatorState } from './state.ts'

interface ServersSet {
  readonly state: CoordinatorState
  /** null: the capacity is the same. */
  readonly event: CapacityEvent | null
}

export const serversOf = ({ setup, pool }: CoordinatorState): readonly PoolServer[] =>
  withPool(setup, pool).servers ?? []

/** The state with other servers instead of the configured ones; null: the configured ones again. New ones start slowly. */
export function withServers(
  state: CoordinatorState,
  servers: readonly PoolServer[] | null,
  nowMs: number,
): ServersSet {
  const before = withPool(state.setup, state.pool)
  const after = withPool(state.setup, servers)
  const rising = risingWith(state.poolHealth, before.servers, after.servers, nowMs)
  const poolHealth = { ...state.poolHealth, rising }
  return { state: { ...state, pool: servers, poolHealth }, event: capacityChange(before, after) }
}

/** More or fewer servers are a change of capacity; null: there are as many, or none. */
export function capacityChange(from: Setup, to: Setup): CapacityEvent | null {
  const [before, after] = [weightOf(from), weightOf(to)]
  return before > 0 && after > 0 && before !== after ? { before, after } : null
}
