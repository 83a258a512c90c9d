import { poissonTimes } from '../crowd/arrivals.ts'
import type { Page, Session } from '../crowd/session.ts'
import type { PageKind } from '../demo/pages.ts'
import { drawWalk, PAGES_PER_WALK } from '../demo/walk.ts'
import { type Coin, coinsOf, exponential } from '../random.ts'

/**
 * Arrivals and their requests, all drawn from the seed. Nothing depends on the answers, so an
 * origin with a gate and one without get exactly the same crowd.
 */

export type Phase = 'calm' | 'surge'

interface ShopPage extends Page {
  readonly kind: PageKind
}

export interface FloodSession extends Session {
  readonly pages: readonly ShopPage[]
}

export interface CrowdOptions {
  /** Requests per second that the origin can serve. */
  readonly capacityPerSecond: number
  /** Load in the surge, as a multiple of the capacity. */
  readonly surge: number
  readonly seconds: number
  readonly thinkMs: number
  readonly seed: number
  /** The pages of another site than the demo shop; absent: the shop's own. */
  readonly paths?: readonly string[] | null
}

/** The first fifth of a run is calm, at half the capacity: the gate sees normal traffic first. */
export const CALM_PART = 0.2
export const CALM_LOAD = 0.5

export function surgeStartMs(seconds: number): number {
  return seconds * 1000 * CALM_PART
}

/** Poisson arrivals of sessions. A session counts with the pages of a mean walk. */
export function* crowd(options: CrowdOptions): Generator<FloodSession> {
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
  for (const atMs of poissonTimes(phases, coins.arrivals))
    yield sessionAt(atMs, options, coins.walks, coins.thinks)
}

function sessionAt(
  atMs: number,
  { thinkMs, paths }: CrowdOptions,
  walks: Coin,
  thinks: Coin,
): FloodSession {
  // A visitor of another site makes as many requests as one of the shop, each to one of its paths.
  const pages = drawWalk(walks).map((kind, i) =>
    paths ? { kind, path: drawn(paths, walks), isUnmarked: true } : pageOf(kind, i),
  )
  return { atMs, pages, thinkMs: pages.map(() => exponential(thinkMs, thinks)) }
}

const drawn = (paths: readonly string[], coin: Coin): string =>
  paths[Math.floor(coin() * paths.length)]!

const PATHS: Readonly<Record<PageKind, readonly string[]>> = {
  home: ['/'],
  search: ['/search?q=rope', '/search?q=tide', '/search?q=lantern'],
  product: [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `/product/${id}`),
  cart: ['/cart?add=2', '/cart?add=5', '/cart?add=8'],
  checkout: ['/checkout'],
}

export function pageOf(kind: PageKind, index: number): ShopPage {
  const paths = PATHS[kind]
  return { kind, path: paths[index % paths.length]! }
}
