/** Start and end of flash-crowd mode (Bartolini et al. 2009, §4). Rates are per second. */

interface IterationProgress {
  /** N: admitted since the iteration began, as `drawnOf` counts. */
  readonly admitted: number
  /** t: time since the iteration began. */
  readonly elapsedMs: number
  /** λ*. */
  readonly limit: number
  /** σ_λ: how much the admitted rate varies while the limit binds. */
  readonly sigma: number
  readonly q: number
  /** T_AC: length of an iteration. */
  readonly iterationMs: number
}

/**
 * What p = min(1, λ* / λ̂_in) admits of the offered. The paper's gate only draws, so a surge shows in what it admits. Ours
 * also holds λ* with buckets and leases. Behind them a surge would stay unseen, so what they held back counts here.
 */
export function drawnOf(offered: number, limit: number | null, expected: number | null): number {
  if (limit === null || expected === null || expected <= limit) return offered
  return (offered * limit) / expected
}

/** N/t > λ* + qσ_λ and N > λ*·T_AC. The second condition ignores a few arrivals close together. */
export function surgeStarts(progress: IterationProgress): boolean {
  const { admitted, elapsedMs, limit, sigma, q, iterationMs } = progress
  if (!(elapsedMs > 0)) return false
  const rate = admitted / (elapsedMs / 1000)
  return rate > limit + q * sigma && admitted > limit * (iterationMs / 1000)
}

/** The surge is under control when the admitted rate is at or below the limit again. */
export function surgeEnds({
  rate,
  limit,
}: {
  readonly rate: number
  readonly limit: number
}): boolean {
  return rate <= limit
}

/** The counts of one tick. */
export interface RecentArrivals {
  readonly lengthMs: number
  readonly offered: number
  /** As `drawnOf` counts. */
  readonly admitted: number
}

/**
 * The moving window of §4.2: the last ticks in which ⌊λ*·T_AC⌋ were admitted, at most one iteration. The heavier
 * the traffic, the shorter the window.
 */
export function moveWindow(
  recent: readonly RecentArrivals[],
  tick: RecentArrivals,
  bounds: { readonly admitted: number; readonly elapsedMs: number },
): readonly RecentArrivals[] {
  const ticks = [...recent, tick]
  let admitted = ticks.reduce((sum, each) => sum + each.admitted, 0)
  let elapsedMs = ticks.reduce((sum, each) => sum + each.lengthMs, 0)
  let first = 0
  for (const { admitted: oldest, lengthMs } of ticks.slice(0, -1)) {
    const enough = admitted - oldest >= bounds.admitted
    if (!enough && elapsedMs <= bounds.elapsedMs) break
    admitted -= oldest
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

/** Variation of the admitted rate, relative to the limit, over the iterations in which the limit bound. */
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

/** σ_λ. Until the limit has bound in enough iterations, that of Poisson arrivals at the limit: √(λ* / T). */
export function sigmaOf(spread: Spread, limit: number, iterationMs: number): number {
  return spread.iterations < ENOUGH_ITERATIONS
    ? Math.sqrt(limit / (iterationMs / 1000))
    : limit * Math.sqrt(spread.square)
}
