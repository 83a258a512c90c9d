import { classKey } from '../protocol/class-key.ts'
import type { Feedback } from '../protocol/feedback.ts'
import { SHARED } from '../protocol/plan-limits.ts'

/** The first count of a sender stands for this time at the least: nobody reports more often. */
const FIRST_MS = 250
/** A few events in less than this time do not make a sender a busy one. */
const SECOND_MS = 1000

/**
 * A rate forgets half of its past in the time of so many events, within these bounds. A quiet sender's rate would
 * otherwise jump with each event, and the shares of all others with it.
 */
const HALF_LIFE_EVENTS = 10
const SHORTEST_HALF_LIFE_MS = 1000
const LONGEST_HALF_LIFE_MS = 10_000

/** What senders' rates and activities are made from. */
export interface SenderCounts {
  /** By the name of the limit under which they were. */
  readonly draws: ReadonlyMap<string, number>
  /** Draws of all classes, and draws and requests. */
  readonly drawn: number
  readonly all: number
  readonly lengthMs: number
  /** The limit under which a visitor asks now. */
  readonly asked: string
}

/** `own`: has the keys of the classes that are limited by themselves. */
export function countsOf(feedback: Feedback, own: { has(key: string): boolean }): SenderCounts {
  const { routes, wantsFor, fromMs, toMs } = feedback
  const draws = new Map<string, number>()
  let drawn = 0
  let all = 0
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, { offered, tickets, requests }] of Object.entries(classes)) {
      const key = classKey(route, name)
      const limit = own.has(key) ? key : SHARED
      // Tickets enter by shares, too.
      const count = offered + tickets
      draws.set(limit, (draws.get(limit) ?? 0) + count)
      drawn += count
      all += count + requests
    }
  const asked = wantsFor !== undefined && own.has(wantsFor) ? wantsFor : SHARED
  return { draws, drawn, all, lengthMs: toMs - fromMs, asked }
}

/** What a report says of a sender's draws under one limit. */
export interface NewDraws {
  readonly draws: number
  readonly lengthMs: number
  /** Does a visitor ask now, who is not counted yet? */
  readonly asks: boolean
}

/** Who asks after a silence has a visitor now: one in all that time, if not more. */
export function rateAfter(previous: number | null, { draws, lengthMs, asks }: NewDraws): number {
  const rate = smoothedRate(previous, draws, lengthMs)
  return asks ? Math.max(rate, 1000 / Math.max(lengthMs, SECOND_MS)) : rate
}

/** Events per second, smoothed over the reports of a sender. null: there was none before. */
export function smoothedRate(previous: number | null, count: number, lengthMs: number): number {
  if (previous === null) return (count * 1000) / Math.max(lengthMs, FIRST_MS)
  const newest = (count * 1000) / Math.max(lengthMs, SECOND_MS)
  const eventsMs = (HALF_LIFE_EVENTS * 1000) / Math.max(previous, newest)
  const halfLifeMs = Math.min(LONGEST_HALF_LIFE_MS, Math.max(SHORTEST_HALF_LIFE_MS, eventsMs))
  const weight = 1 - 2 ** (-lengthMs / halfLifeMs)
  // For a very short time the limit of weight / length holds.
  const perSecond = lengthMs < 1 ? (1000 * Math.LN2) / halfLifeMs : (weight * 1000) / lengthMs
  return count * perSecond + (1 - weight) * previous
}
