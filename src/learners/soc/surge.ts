/** When flash-crowd mode starts and when it is over (Bartolini et al. 2009, §4). Rates are per second. */

export interface Progress {
  /** N: let in since the iteration began. */
  readonly admitted: number
  /** t: since the iteration began. */
  readonly elapsedMs: number
  /** λ*. */
  readonly limit: number
  /** σ_λ: how much the admitted rate varies while the limit binds. */
  readonly sigma: number
  readonly q: number
  /** T_AC: length of an iteration. */
  readonly iterationMs: number
}

/** N/t > λ* + qσ_λ, and N > λ*·T_AC, so that a few arrivals close together are no surge. */
export function surgeStarts(seen: Progress): boolean {
  const { admitted, elapsedMs, limit, sigma, q, iterationMs } = seen
  if (!(elapsedMs > 0)) return false
  const rate = admitted / (elapsedMs / 1000)
  return rate > limit + q * sigma && admitted > limit * (iterationMs / 1000)
}

/** The surge is under control when the admitted rate is back under the limit. */
export function surgeEnds({
  rate,
  limit,
}: {
  readonly rate: number
  readonly limit: number
}): boolean {
  return rate <= limit
}

/** One tick's counts. */
export interface RecentArrivals {
  readonly lengthMs: number
  readonly offered: number
  readonly admitted: number
}

/**
 * The moving window of §4.2: the last ticks in which ⌊λ*·T_AC⌋ were admitted, and no more than one iteration.
 * The heavier the traffic, the shorter the time that it covers.
 */
export function moveWindow(
  recent: readonly RecentArrivals[],
  tick: RecentArrivals,
  most: { readonly admitted: number; readonly elapsedMs: number },
): readonly RecentArrivals[] {
  const ticks = [...recent, tick]
  let admitted = ticks.reduce((sum, one) => sum + one.admitted, 0)
  let elapsedMs = ticks.reduce((sum, one) => sum + one.lengthMs, 0)
  let first = 0
  for (const { admitted: part, lengthMs } of ticks.slice(0, -1)) {
    const enough = admitted - part >= most.admitted
    if (!enough && elapsedMs <= most.elapsedMs) break
    admitted -= part
    elapsedMs -= lengthMs
    first += 1
  }
  return ticks.slice(first)
}

/** Per second, over the window. */
export function windowRate(
  recent: readonly RecentArrivals[],
  count: 'offered' | 'admitted',
): number {
  const elapsedMs = recent.reduce((sum, tick) => sum + tick.lengthMs, 0)
  const total = recent.reduce((sum, tick) => sum + tick[count], 0)
  return elapsedMs > 0 ? total / (elapsedMs / 1000) : 0
}

/** How the admitted rate varied in the iterations in which the limit bound, as a part of the limit. */
export interface Spread {
  readonly iterations: number
  /** Mean of ((λ_adm − λ*)/λ*)². */
  readonly square: number
}

export const NO_SPREAD: Spread = { iterations: 0, square: 0 }

const ENOUGH_ITERATIONS = 10
const SPREAD_MEMORY = 30

export function addSpread(spread: Spread, admitted: number, limit: number): Spread {
  const iterations = Math.min(spread.iterations + 1, SPREAD_MEMORY)
  const square = ((admitted - limit) / limit) ** 2
  return { iterations, square: spread.square + (square - spread.square) / iterations }
}

/** σ_λ; before enough iterations bound, that of a Poisson stream at the limit: √(λ* / T). */
export function sigmaOf(spread: Spread, limit: number, iterationMs: number): number {
  return spread.iterations < ENOUGH_ITERATIONS
    ? Math.sqrt(limit / (iterationMs / 1000))
    : limit * Math.sqrt(spread.square)
}
