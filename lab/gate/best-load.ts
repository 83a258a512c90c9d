import { clairvoyantRequests, clairvoyantSessions } from './clairvoyant.ts'
import type { Plant } from './plant.ts'
import type { PolicyFactory } from './policy.ts'
import { runPlant } from './run-plant.ts'

interface BestLoadOptions {
  /** In constant overload, without changes. */
  readonly plant: Plant
  /** Search range: active sessions on session routes, otherwise requests in flight. */
  readonly low: number
  readonly high: number
  /** The search ends when the loads that it tries are this close together. @default 1 */
  readonly finest?: number
  /** Holds a load. @default the clairvoyant of the plant's granularity */
  readonly holding?: (load: number) => PolicyFactory
  readonly seeds: readonly number[]
  readonly seconds: number
  readonly measureFromSeconds: number
}

/** Loads tried at once, evenly spaced over the remaining range. */
const TRIES = 7

/**
 * The constant load at which the most value is answered within the target; windows that miss the
 * target count as 0. This is the load that a clairvoyant keeps. It is found by search, coarse
 * first, with the same visitors at every load.
 */
export function bestLoad(options: BestLoadOptions): number {
  const values = new Map<number, number>()
  const worthOf = (load: number) => {
    const known = values.get(load)
    if (known !== undefined) return known
    const value = valueAt(load, options)
    values.set(load, value)
    return value
  }
  const { finest = 1 } = options
  let { low, high } = options
  for (;;) {
    const step = Math.max(finest, Math.round((high - low) / (TRIES - 1)))
    let best = low
    for (let load = low; load <= high; load += step) if (worthOf(load) > worthOf(best)) best = load
    if (step <= finest) return best
    low = Math.max(low, best - step)
    high = Math.min(high, best + step)
  }
}

function valueAt(load: number, options: BestLoadOptions): number {
  const { plant, seeds, seconds, measureFromSeconds } = options
  const policy = options.holding?.(load) ?? holdingIn(plant)(load)
  let sum = 0
  for (const seed of seeds) {
    const { inSlaValue, windows, windowsMissed } = runPlant({
      plant,
      policy,
      seed,
      seconds,
      measureFromSeconds,
    })
    sum += inSlaValue * (1 - windowsMissed / Math.max(1, windows))
  }
  return sum
}

function holdingIn({ granularity }: Plant): (load: number) => PolicyFactory {
  return (load) =>
    granularity === 'session' ? clairvoyantSessions(() => load) : clairvoyantRequests(() => load)
}
