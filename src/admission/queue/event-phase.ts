import type { QueueEvent } from '../../config/config.ts'

/** What events make of a route at some time. */
export type EventPhase =
  | { readonly kind: 'before'; readonly opensMs: number }
  /** null: it does not open again. */
  | { readonly kind: 'closed'; readonly reopensMs: number | null }

/**
 * The phase of a route; null: no event holds. Where events overlap, the phase that began last holds; of two that began at
 * the same time, the one of the event that is written later.
 */
export function phaseAt(events: readonly QueueEvent[], nowMs: number): EventPhase | null {
  let phase: EventPhase | null = null
  let sinceMs = Number.NEGATIVE_INFINITY
  for (const { preQueueMs, opensMs, closesMs, reopensMs } of events) {
    const queuesMs = opensMs === null ? Number.POSITIVE_INFINITY : opensMs - preQueueMs
    if (opensMs !== null && nowMs >= queuesMs && nowMs < opensMs && queuesMs >= sinceMs) {
      phase = { kind: 'before', opensMs }
      sinceMs = queuesMs
    }
    const isClosed =
      closesMs !== null && nowMs >= closesMs && (reopensMs === null || nowMs < reopensMs)
    if (isClosed && closesMs >= sinceMs) {
      phase = { kind: 'closed', reopensMs }
      sinceMs = closesMs
    }
  }
  return phase
}
