/** How many ask per second, and over how much time that was learned. */
export interface ArrivalRate {
  readonly rate: number
  readonly seconds: number
}

/**
 * As many arrivals are remembered: p = limit / rate comes out high by 1 / arrivals remembered on average,
 * since a rate that chance made small opens the gate more than one made large closes it.
 */
const REMEMBERED = 100
const LONGEST_MEMORY_S = 60
/** A tick that chance would bring once in some hundred is believed at once, and what was before is forgotten. */
const SURPRISE_SIGMA = 3
const SURPRISE_AT_LEAST = 3

/**
 * The newest tick and the last hundred arrivals together; at high rates that is half and half, as in
 * λ̂(n) = αλ(n−1) + (1−α)λ̂(n−1), α = 0.5 (soc.md §4.1).
 */
export function observeArrivals(
  previous: ArrivalRate | undefined,
  count: number,
  seconds: number,
): ArrivalRate {
  if (!previous) return { rate: count / seconds, seconds }
  const expected = previous.rate * seconds
  const surprise = SURPRISE_SIGMA * Math.sqrt(expected) + SURPRISE_AT_LEAST
  if (Math.abs(count - expected) > surprise) return { rate: count / seconds, seconds }
  const enoughS = Math.min(LONGEST_MEMORY_S, REMEMBERED / previous.rate)
  const keptS = Math.min(previous.seconds, Math.max(seconds, enoughS))
  return { rate: (previous.rate * keptS + count) / (keptS + seconds), seconds: keptS + seconds }
}
