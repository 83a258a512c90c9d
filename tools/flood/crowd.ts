import type { PageKind } from '../demo/pages.ts'
import { type Coin, coinsOf, exponential } from '../demo/random.ts'
import { drawWalk, PAGES_PER_WALK } from '../demo/walk.ts'

/**
 * Who comes when, and what they are going to ask for: all of it is drawn from the seed and nothing of
 * it depends on the answers, so that an origin with a gate and one without meet the very same crowd.
 */

export type Phase = 'calm' | 'surge'

export interface Arrival {
  readonly atMs: number
  readonly walk: readonly PageKind[]
  /** One for each page: the time until the next page once this one has come. */
  readonly thinkMs: readonly number[]
}

export interface CrowdOptions {
  /** Requests per second that the origin can serve. */
  readonly capacityPerSecond: number
  /** Load in the surge, in times the capacity. */
  readonly surge: number
  readonly seconds: number
  readonly thinkMs: number
  readonly seed: number
}

/** The first fifth of a run is calm, at half the capacity: a gate sees what a normal day looks like. */
export const CALM_PART = 0.2
export const CALM_LOAD = 0.5

export function surgeStartMs(seconds: number): number {
  return seconds * 1000 * CALM_PART
}

/** Poisson arrivals of sessions; a session counts as the pages of a mean walk. */
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
    // A Poisson process has no memory: at a step of the rate it may start afresh.
    let atMs = fromMs + exponential(1000 / perSecond, coins.arrivals)
    for (; atMs < toMs; atMs += exponential(1000 / perSecond, coins.arrivals))
      yield arrive(atMs, options.thinkMs, coins.walks, coins.thinks)
  }
}

function arrive(atMs: number, meanThinkMs: number, walks: Coin, thinks: Coin): Arrival {
  const walk = drawWalk(walks)
  return { atMs, walk, thinkMs: walk.map(() => exponential(meanThinkMs, thinks)) }
}
