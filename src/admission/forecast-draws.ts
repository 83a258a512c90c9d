/** Where draws decide, the bucket must not refuse what chance brings in minutes. */
const SIGMA = 3.5
const LEAST_DEPTH = 3
/** A bucket with less space than this part of its depth is full. */
const UNUSED = 1e-9

/** The depth of the bucket beside draws, at a rate of so much load per second. */
export function drawnDepth(rate: number, leastDepth = LEAST_DEPTH): number {
  return leastDepth + SIGMA * Math.sqrt(rate)
}

/**
 * The probability of a draw where the arrivals are predicted: min(1, λ* / λ̂_in) as planned (Bartolini et al. 2009, §4.1),
 * and between two plans as the bucket says, with every arrival. No forecast is exact: too low a one empties the bucket,
 * and too high a one fills it. In a surge this is the flash-crowd mode of §4.2. With a full bucket nobody is refused.
 */
export function probabilityByForecast(planned: number, fullness: number): number {
  return fullness > 1 - UNUSED ? 1 : Math.min(1, planned * 2 * fullness)
}
