import { type Outcome, SERVED } from '../engine/requests.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { type Correlation, CorrelationWindow } from './correlation-window.ts'
import { everyRequest, type Limiter } from './every-request.ts'
import { MovingAverage } from './moving-average.ts'
import { log10Step } from './netflix-vegas.ts'
import { peerOf } from './peer.ts'
import { quantile } from './quantile.ts'

interface FailsafeOptions {
  /** Range: from 1. @default 20 */
  readonly initialLimit?: number
  /** Range: from 1. @default 1 */
  readonly minLimit?: number
  /** @default 200 */
  readonly maxLimit?: number
  /**
   * The limit grows to at most this multiple of the requests in flight. Range: above 1. @default 5
   */
  readonly maxLimitFactor?: number
  /** A recent window lasts twice the fastest response time, within these bounds. */
  readonly recentMs?: readonly [least: number, most: number]
  /** Minimum number of answers in a recent window. @default 50 */
  readonly recentSamples?: number
  /** Quantile of a recent window's response times. Range: 0 to 1. @default 0.9 */
  readonly quantile?: number
  /** Recent windows in the baseline's average. Range: from 1. @default 10 */
  readonly baselineAge?: number
  /** Recent windows from which correlations are computed. Range: from 10. @default 50 */
  readonly correlationWindow?: number
}

export const FAILSAFE_DEFAULTS = {
  initialLimit: 20,
  minLimit: 1,
  maxLimit: 200,
  maxLimitFactor: 5,
  recentMs: [1000, 30_000],
  recentSamples: 50,
  quantile: 0.9,
  baselineAge: 10,
  correlationWindow: 50,
} as const satisfies FailsafeOptions

/** Windows of the median filter and of the average after it. */
const SMOOTHED = 5

export interface Signals {
  /** Estimated queue: L (1 − baseline/recent). */
  readonly queue: number
  /** The limiter's unit of change at this limit. */
  readonly step: number
  readonly full: boolean
  /** Correlation of the requests in flight with throughput and with response time. */
  readonly throughput: Correlation
  readonly rtt: Correlation
}

/** Direction of the limit: −1 down, 1 up. */
export function direction({ queue, step, full, throughput, rtt }: Signals): -1 | 0 | 1 {
  if (queue > 6 * step) return -1
  if (full && throughput.correlation < 0) return -1
  if (full && throughput.correlation < 0.3 && rtt.correlation > 0.5) return -1
  if (full && throughput.variationOfY < 0.2 && rtt.correlation > 0.5) return -1
  return queue < 3 * step ? 1 : 0
}

/** The adaptive limiter of failsafe-go, after Uber's Cinnamon, without its optional queue. */
export class FailsafeLimiter implements Limiter {
  readonly #options: Required<FailsafeOptions>
  readonly #smoothed = new MovingAverage(SMOOTHED)
  readonly #baseline: MovingAverage
  readonly #throughput: CorrelationWindow
  readonly #rtt: CorrelationWindow
  #recentQuantiles: number[] = []
  #limit: number
  #samplesMs: number[] = []
  #mostInFlight = 0
  #inFlight = 0
  #updateMs = 0

  constructor(options: FailsafeOptions = {}) {
    this.#options = { ...FAILSAFE_DEFAULTS, ...options }
    this.#limit = this.#options.initialLimit
    this.#baseline = new MovingAverage(this.#options.baselineAge)
    this.#throughput = new CorrelationWindow(this.#options.correlationWindow)
    this.#rtt = new CorrelationWindow(this.#options.correlationWindow)
  }

  get limit(): number {
    return this.#limit
  }

  accepts(inFlight: number): boolean {
    return inFlight < this.#limit
  }

  sent(): void {
    this.#inFlight++
  }

  finished(outcome: Outcome, latencyMs: number, inFlight: number, nowMs: number): void {
    // A time-out or a cancelled request is dropped: its time is cut short and carries no
    // information.
    if (outcome === SERVED) {
      this.#samplesMs.push(latencyMs)
      this.#mostInFlight = Math.max(this.#mostInFlight, inFlight)
    }
    const { recentSamples, recentMs } = this.#options
    if (nowMs > this.#updateMs && this.#samplesMs.length >= recentSamples) {
      const fastestMs = this.#samplesMs.reduce((least, ms) => Math.min(least, ms))
      this.#update()
      this.#updateMs = nowMs + Math.min(Math.max(2 * fastestMs, recentMs[0]), recentMs[1])
    }
    this.#inFlight--
  }

  #update(): void {
    const { minLimit, maxLimit, maxLimitFactor } = this.#options
    const recentMs = this.#takeRecent()
    const baselineMs = this.#baseline.add(recentMs)
    const inFlight = this.#mostInFlight
    this.#mostInFlight = 0
    const step = log10Step(this.#limit)
    const signals: Signals = {
      queue: recentMs > 0 ? Math.ceil(this.#limit * (1 - baselineMs / recentMs)) : 0,
      step,
      full: this.#inFlight >= this.#limit,
      throughput: this.#throughput.add(inFlight, recentMs > 0 ? inFlight / recentMs : 0),
      rtt: this.#rtt.add(inFlight, recentMs),
    }
    let wanted = this.#limit + direction(signals) * step
    if (wanted > maxLimitFactor * inFlight) wanted = this.#limit - step
    this.#limit = Math.max(minLimit, Math.min(maxLimit, wanted))
  }

  /**
   * The window's quantile, then its median over five windows, then the average of that over five.
   */
  #takeRecent(): number {
    const recent = quantile(this.#samplesMs, this.#options.quantile)
    this.#samplesMs = []
    this.#recentQuantiles = [...this.#recentQuantiles, recent].slice(-SMOOTHED)
    return this.#smoothed.add(quantile(this.#recentQuantiles, 0.5))
  }
}

function failsafePolicy(options: FailsafeOptions): PolicyFactory {
  return (view) => everyRequest(view, new FailsafeLimiter(options))
}

export const failsafe = peerOf('failsafe-limiter', failsafePolicy, {
  defaults: {},
  p50: { quantile: 0.5 },
  'baseline 60': { baselineAge: 60 },
  'baseline 600': { baselineAge: 600 },
  'baseline 600, p99': { baselineAge: 600, quantile: 0.99 },
  'baseline 600, p50, 20 samples': { baselineAge: 600, quantile: 0.5, recentSamples: 20 },
})
