import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest } from './every-request.ts'
import { MovingAverage } from './moving-average.ts'
import { type Limit, type LimitSample, WindowedLimit } from './netflix-window.ts'
import { peerOf } from './peer.ts'

interface Gradient2Options {
  /** Range: from 1. @default 20 */
  readonly initialLimit?: number
  /** Range: from 1. @default 20 */
  readonly minLimit?: number
  /** @default 200 */
  readonly maxLimit?: number
  /** Weight of the new limit. Range: above 0 to 1. @default 0.2 */
  readonly smoothing?: number
  /** Requests that may queue. Range: from 0. @default 4 */
  readonly queueSize?: number
  /** Samples of the long-term average response time. Range: from 1. @default 600 */
  readonly longWindow?: number
  /**
   * Response times up to this multiple of the long-term average do not count as queueing. Range:
   * from 1. @default 1.5
   */
  readonly tolerance?: number
}

export const GRADIENT2_DEFAULTS = {
  initialLimit: 20,
  minLimit: 20,
  maxLimit: 200,
  smoothing: 0.2,
  queueSize: 4,
  longWindow: 600,
  tolerance: 1.5,
} as const satisfies Gradient2Options

/** `Gradient2Limit` of Netflix's concurrency-limits. It ignores drops. */
export class Gradient2 implements Limit {
  readonly #options: Required<Gradient2Options>
  readonly #long: MovingAverage
  #limit: number

  constructor(options: Gradient2Options = {}) {
    this.#options = { ...GRADIENT2_DEFAULTS, ...options }
    this.#limit = this.#options.initialLimit
    this.#long = new MovingAverage(this.#options.longWindow)
  }

  get limit(): number {
    return this.#limit
  }

  get longRttMs(): number {
    return this.#long.value
  }

  update({ rttMs, inFlight }: LimitSample): void {
    const { minLimit, maxLimit, smoothing, queueSize, tolerance } = this.#options
    const longMs = this.#long.add(rttMs)
    // After a long overload the average falls faster than its window allows.
    if (longMs / rttMs > 2) this.#long.scale(0.95)
    if (inFlight < this.#limit / 2) return
    const gradient = Math.max(0.5, Math.min(1, (tolerance * longMs) / rttMs))
    const wanted = this.#limit * gradient + queueSize
    const smoothed = (1 - smoothing) * this.#limit + smoothing * wanted
    this.#limit = Math.max(minLimit, Math.min(maxLimit, smoothed))
  }
}

function gradient2Policy(options: Gradient2Options): PolicyFactory {
  return (view) => everyRequest(view, new WindowedLimit(new Gradient2(options)))
}

export const netflixGradient2 = peerOf('netflix-gradient2', gradient2Policy, {
  defaults: {},
  'from 4': { minLimit: 4 },
  'from 4, tolerance 1.1': { minLimit: 4, tolerance: 1.1 },
  'from 4, tolerance 1.2, long 6000': { minLimit: 4, tolerance: 1.2, longWindow: 6000 },
  'from 4, tolerance 1.2, long 6000, queue 2': {
    minLimit: 4,
    tolerance: 1.2,
    longWindow: 6000,
    queueSize: 2,
  },
  'from 4, long 60 000, queue 1': { minLimit: 4, longWindow: 60_000, queueSize: 1 },
})
