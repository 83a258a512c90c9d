import { poissonTimes } from '../crowd/arrivals.ts'
import { drawWalk, PAGES_PER_WALK } from '../demo/walk.ts'
import { type FloodSession, pageOf } from '../flood/crowd.ts'
import { coinsOf, exponential } from '../random.ts'

interface DoublingOptions {
  /** Pages per second in the first step. */
  readonly pagesPerSecond: number
  readonly doublings: number
  readonly stepS: number
  readonly holdS: number
  readonly calmS: number
  readonly thinkMs: number
  readonly seed: number
}

/** A crowd whose rate doubles at each step, and then returns to the first rate. */
export function* doublingCrowd(options: DoublingOptions): Generator<FloodSession> {
  const { pagesPerSecond, doublings, stepS, holdS, calmS, thinkMs, seed } = options
  const walks = coinsOf(seed, 'walks')
  const thinks = coinsOf(seed, 'thinks')
  const steps = Array.from({ length: doublings + 1 }, (_, i) => ({
    fromMs: 1000 * stepS * i,
    toMs: 1000 * (stepS * (i + 1) + (i === doublings ? holdS : 0)),
    perSecond: (pagesPerSecond * 2 ** i) / PAGES_PER_WALK,
  }))
  const fromMs = steps.at(-1)!.toMs
  const perSecond = pagesPerSecond / PAGES_PER_WALK
  const phases = [...steps, { fromMs, toMs: fromMs + 1000 * calmS, perSecond }]
  for (const atMs of poissonTimes(phases, coinsOf(seed, 'arrivals'))) {
    const pages = drawWalk(walks).map(pageOf)
    yield { atMs, pages, thinkMs: pages.map(() => exponential(thinkMs, thinks)) }
  }
}
