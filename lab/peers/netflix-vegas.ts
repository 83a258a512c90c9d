import type { Random } from '../engine/random.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest } from './every-request.ts'
import {
  type Limit,
  type LimitSample,
  WindowedLimit,
  type WindowOptions,
} from './netflix-window.ts'
import { peerOf } from './peer.ts'

interface VegasOptions {
  /** Range: from 1. @default 20 */
  readonly initialLimit?: number
  /** @default 1000 */
  readonly maxLimit?: number
  /** Weight of the new limit. Range: above 0 to 1. @default 1 */
  readonly smoothing?: number
  /**
   * The fastest response time is forgotten about every (multiplier × limit) samples. @default 30
   */
  readonly probeMultiplier?: number
}

export const VEGAS_DEFAULTS = {
  initialLimit: 20,
  maxLimit: 1000,
  smoothing: 1,
  probeMultiplier: 30,
} as const satisfies VegasOptions

/** Unit of change: the integer part of the limit's decimal logarithm, at least 1. */
export function log10Step(limit: number): number {
  return Math.max(1, Math.floor(Math.log10(Math.max(1, Math.floor(limit)))))
}

/**
 * `VegasLimit` of Netflix's concurrency-limits: estimates the queue from the fastest response time.
 */
export class Vegas implements Limit {
  readonly #options: Required<VegasOptions>
  readonly #random: Random
  #limit: number
  #fastestMs = Number.POSITIVE_INFINITY
  #samples = 0
  #probeJitter: number

  constructor(options: VegasOptions, random: Random) {
    this.#options = { ...VEGAS_DEFAULTS, ...options }
    this.#random = random
    this.#limit = this.#options.initialLimit
    this.#probeJitter = this.#draw()
  }

  get limit(): number {
    return this.#limit
  }

  get fastestMs(): number {
    return this.#fastestMs
  }

  update({ rttMs, inFlight, dropped }: LimitSample): void {
    this.#samples++
    if (this.#samples >= this.#probeJitter * this.#options.probeMultiplier * this.#limit) {
      this.#samples = 0
      this.#probeJitter = this.#draw()
      this.#fastestMs = rttMs
    } else if (rttMs < this.#fastestMs) this.#fastestMs = rttMs
    else this.#move(rttMs, inFlight, dropped)
  }

  #move(rttMs: number, inFlight: number, dropped: boolean): void {
    const { smoothing, maxLimit } = this.#options
    const step = log10Step(this.#limit)
    const queue = Math.ceil(this.#limit * (1 - this.#fastestMs / rttMs))
    let wanted = this.#limit
    if (dropped) wanted -= step
    else if (2 * inFlight < this.#limit) return
    else if (queue <= step) wanted += 6 * step
    else if (queue < 3 * step) wanted += step
    else if (queue > 6 * step) wanted -= step
    else return
    const bounded = Math.max(1, Math.min(maxLimit, wanted))
    this.#limit = (1 - smoothing) * this.#limit + smoothing * bounded
  }

  #draw(): number {
    return 0.5 + 0.5 * this.#random.next()
  }
}

function vegasPolicy(options: VegasOptions & WindowOptions): PolicyFactory {
  return (view, _setting, { random }) =>
    everyRequest(view, new WindowedLimit(new Vegas(options, random('netflix-vegas')), options))
}

export const netflixVegas = peerOf('netflix-vegas', vegasPolicy, {
  defaults: {},
  'every answer': { windowMs: 0 },
  'probes every L': { probeMultiplier: 1 },
  '5 s': { windowMs: 5000 },
  '10 s': { windowMs: 10_000 },
  '20 s': { windowMs: 20_000 },
})
