import type { Feedback } from '../protocol/feedback.ts'

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

/** What a sender's rate and activity are made from. */
export function countsOf(feedback: Feedback): { draws: number; requests: number } {
  let draws = 0
  let requests = 0
  for (const { classes } of Object.values(feedback.routes))
    for (const one of Object.values(classes)) {
      // Tickets enter by shares, too.
      draws += one.offered + one.tickets
      requests += one.requests
    }
  return { draws, requests }
}

/** Who asks after a silence has a visitor now: one in all that time, if not more. */
export function rateAfter(previous: number | null, draws: number, feedback: Feedback): number {
  const lengthMs = feedback.toMs - feedback.fromMs
  const rate = smoothedRate(previous, draws, lengthMs)
  return feedback.asks ? Math.max(rate, 1000 / Math.max(lengthMs, SECOND_MS)) : rate
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
