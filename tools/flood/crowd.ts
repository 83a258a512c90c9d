import type { PageKind } from '../demo/pages.ts'
import { type Coin, coinsOf, exponential } from '../demo/random.ts'
import { drawWalk, PAGES_PER_WALK } from '../demo/walk.ts'

/**
 * Arrivals and their requests, all drawn from the seed. Nothing depends on the answers, so an
 * origin with a gate and one without get exactly the same crowd.
 */

export type Phase = 'calm' | 'surge'

export interface Arrival {
  readonly atMs: number
  readonly walk: readonly PageKind[]
  /** For each page: the time from its arrival until the next request. */
  readonly thinkMs: readonly number[]
}

export interface CrowdOptions {
  /** Requests per second that the origin can serve. */
  readonly capacityPerSecond: number
  /** Load in the surge, as a multiple of the capacity. */
  readonly surge: number
  readonly seconds: number
  readonly thinkMs: number
  readonly seed: number
}

/** The first fifth of a run is calm, at half the capacity: the gate sees normal traffic first. */
export const CALM_PART = 0.2
export const CALM_LOAD = 0.5

export function surgeStartMs(seconds: number): number {
  return seconds * 1000 * CALM_PART
}

/** Poisson arrivals of sessions. A session counts with the pages of a mean walk. */
export function* crowd(options: CrowdOptions): Generator<Arrival> {
  const { capacityPerSecond, surge, seconds, seed } = options
  const coins = {
    arrivals: coinsOf(seed, 'arrivals'),
    walks: coinsOf(seed, 'walks'),
    thinks: coinsOf(seed, 'thinks'),
  }
  const sessionsPerSecond = capacityPerSecond / PAGES_PER_WALK
  const stepMs = surgeStartMs(seconds)
  const phases = [
    { fromMs: 0, toMs: stepMs, perSecond: CALM_LOAD * sessionsPerSecond },
    { fromMs: stepMs, toMs: seconds * 1000, perSecond: surge * sessionsPerSecond },
  ]
  for (const { fromMs, toMs, perSecond } of phases) {
    // A Poisson process has no memory, so it may start again when the rate changes.
    let atMs = fromMs + exponential(1000 / perSecond, coins.arrivals)
    for (; atMs < toMs; atMs += exponential(1000 / perSecond, coins.arrivals))
      yield arrive(atMs, options.thinkMs, coins.walks, coins.thinks)
  }
}

function arrive(atMs: number, meanThinkMs: number, walks: Coin, thinks: Coin): Arrival {
  const walk = drawWalk(walks)
  return { atMs, walk, thinkMs: walk.map(() => exponential(meanThinkMs, thinks)) }
}
