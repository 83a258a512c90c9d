/** Arrivals per second, and the time over which they were averaged. */
export interface ArrivalRate {
  readonly rate: number
  readonly seconds: number
}

/**
 * The average covers at least this many arrivals. p = limit / rate is too high by 1 / arrivals on average: a rate
 * that is too small by chance opens the gate more than one that is too large closes it.
 */
const LEAST_ARRIVALS = 100
const LONGEST_S = 60
/** A tick this far from the average, which chance brings about once in 300, replaces the average at once. */
const SURPRISE_SIGMA = 3
const SURPRISE_AT_LEAST = 3

/**
 * Averages the newest tick and the last hundred arrivals. At high rates both have half the weight, as in
 * λ̂(n) = αλ(n−1) + (1−α)λ̂(n−1), α = 0.5 (Bartolini et al. 2009, §4.1).
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
  const enoughS = Math.min(LONGEST_S, LEAST_ARRIVALS / previous.rate)
  const keptS = Math.min(previous.seconds, Math.max(seconds, enoughS))
  return { rate: (previous.rate * keptS + count) / (keptS + seconds), seconds: keptS + seconds }
}
