import { DurableObject } from 'cloudflare:workers'
import { decideClaim } from '../src/coordinator/pass-claims.ts'
import type { ClaimAnswer, PassClaim } from '../src/protocol/pass-port.ts'

/** Expired rows are deleted with one in so many claims. */
const CLEAN_EVERY = 100

/**
 * Remembers which passes for one use are used, and who holds each key. Each object has a part of the passes of one route.
 *
 * - Stores: one row for each pass for one use and for each key, until the pass expires.
 * - Has neither timers nor alarms. Expired rows are deleted behind claims.
 * - The decision is in `decideClaim` (src/coordinator/pass-claims.ts).
 */
export class Passes extends DurableObject {
  #claims = 0

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS held (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until_ms INTEGER NOT NULL, since_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL)',
    )
  }

  claim(claim: PassClaim): ClaimAnswer {
    const nowMs = Date.now()
    const { sql } = this.ctx.storage
    if (this.#claims++ % CLEAN_EVERY === 0) sql.exec('DELETE FROM held WHERE until_ms <= ?', nowMs)
    return decideClaim(
      {
        find(name, nowMs) {
          const [row] = sql.exec('SELECT * FROM held WHERE name = ?', name).toArray()
          if (row === undefined || Number(row.until_ms) <= nowMs) return null
          const [untilMs, sinceMs] = [Number(row.until_ms), Number(row.since_ms)]
          return { holder: String(row.holder), untilMs, sinceMs, seenMs: Number(row.seen_ms) }
        },
        put(name, { holder, untilMs, sinceMs, seenMs }) {
          sql.exec(
            'INSERT OR REPLACE INTO held (name, holder, until_ms, since_ms, seen_ms) VALUES (?, ?, ?, ?, ?)',
            ...[name, holder, untilMs, sinceMs, seenMs],
          )
        },
      },
      claim,
      nowMs,
    )
  }
}
