import type { QueueOrder } from '../../config/config.ts'
import type { Ticket } from './ticket.ts'

/** How a new ticket gets its key. */
export interface KeyRules {
  readonly order: QueueOrder
  /** An event opens at this time: all who come before it are in random order. null: none. */
  readonly opensMs: number | null
  /** Tickets up to this key are let in. */
  readonly watermark: number
}

/** With the order `random`, visitors who come within this time are in random order. */
const RANDOM_S = 300

export function newTicket(
  { id, className }: Pick<Ticket, 'id' | 'className'>,
  rules: KeyRules,
  nowMs: number,
  coin: number,
): Ticket {
  return {
    ...{ id, className, keyS: keyFor(rules, nowMs, coin), seenMs: nowMs, nextMs: nowMs, slot: 0 },
    ...{ placedMs: 0, place: 0, promisedFromMs: 0, promisedToMs: 0 },
  }
}

/**
 * Within a second the order is random. So tickets are spread evenly over each second, however visitors arrive in it, and
 * counts by second are enough to call any number of them.
 */
function keyFor({ order, opensMs, watermark }: KeyRules, nowMs: number, coin: number): number {
  if (opensMs !== null && nowMs < opensMs) return opensMs / 1000 - 1 + coin
  const second = Math.floor(nowMs / 1000)
  if (order === 'fifo') return second + coin
  const fromS = Math.floor(second / RANDOM_S) * RANDOM_S
  const toS = fromS + RANDOM_S
  // Below the watermark a new visitor would enter before all who wait.
  const leastS = Math.min(toS - 1, Math.max(fromS, watermark))
  return leastS + coin * (toS - leastS)
}
