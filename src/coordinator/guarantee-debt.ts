/**
 * The books of one class's guarantee: how many admissions it is still owed. A conforming
 * probability is made from arrivals that are already past. Arrivals are noisy and E[1/X] is not
 * 1/E[X], so without books 10/s out of 40/s come out 5 % high when each second is judged by the one
 * before it.
 */

/** A class that does not use its guarantee may catch up on this much of it, */
const MOST_OWED_S = 2
/** and one that got too much, in a surge that no plan knew of yet, pays back no more than this. */
const MOST_OVERDRAWN_S = 2
/** What is owed is spread over this time: a plan needs about two seconds to show in the reports. */
const SETTLE_S = 3

export interface GuaranteeTick {
  /** The rate that was promised. */
  readonly guaranteed: number
  /** How many were let in under the guarantee. */
  readonly conformed: number
  readonly lengthMs: number
}

/** What is owed after a tick, in admissions: negative when too many came in. */
export function owedAfter(
  owed: number,
  { guaranteed, conformed, lengthMs }: GuaranteeTick,
): number {
  const next = owed + (guaranteed * lengthMs) / 1000 - conformed
  if (Number.isNaN(next)) return 0
  return Math.min(MOST_OWED_S * guaranteed, Math.max(-MOST_OVERDRAWN_S * guaranteed, next))
}

/** Admissions per second by which the guarantee has to be raised to settle what is owed. */
export function owedRate(owed: number): number {
  return owed / SETTLE_S
}
