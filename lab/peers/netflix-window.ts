import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { Limiter } from './every-request.ts'

/** Input of an algorithm in Netflix's concurrency-limits: one answer, or a window of answers. */
export interface LimitSample {
  readonly rttMs: number
  readonly inFlight: number
  /** A time-out, or a refusal behind the limiter. */
  readonly dropped: boolean
}

/** An algorithm of the library: samples in, maximum number of requests in flight out. */
export interface Limit {
  readonly limit: number
  update(sample: LimitSample): void
}

export interface WindowOptions {
  /** Length of a window; 0: each answer is a sample. @default 1000 */
  readonly windowMs?: number
  /** A window with fewer answers is dropped. @default 10 */
  readonly leastSamples?: number
}

const WINDOW_DEFAULTS = {
  windowMs: 1000,
  leastSamples: 10,
} as const satisfies WindowOptions

/** Faster answers are ignored, in milliseconds. */
const LEAST_RTT_MS = 0.1

/**
 * `WindowedLimit`: the mean response time and the maximum in flight of a window form one sample.
 */
export class WindowedLimit implements Limiter {
  readonly #limit: Limit
  readonly #options: Required<WindowOptions>
  #untilMs = 0
  #count = 0
  #sumMs = 0
  #inFlight = 0
  #dropped = false

  constructor(limit: Limit, options: WindowOptions = {}) {
    this.#limit = limit
    this.#options = { ...WINDOW_DEFAULTS, ...options }
  }

  accepts(inFlight: number): boolean {
    return inFlight < Math.floor(this.#limit.limit)
  }

  finished(outcome: Outcome, latencyMs: number, inFlight: number, nowMs: number): void {
    if (outcome === ABANDONED) return // The caller's `onIgnore`.
    const dropped = outcome === FAILED
    const { windowMs, leastSamples } = this.#options
    if (windowMs === 0) {
      this.#limit.update({ rttMs: latencyMs, inFlight, dropped })
      return
    }
    if (latencyMs < LEAST_RTT_MS) return
    this.#add(latencyMs, inFlight, dropped)
    if (nowMs <= this.#untilMs) return
    if (this.#count >= leastSamples) {
      const rttMs = this.#sumMs / this.#count
      this.#limit.update({ rttMs, inFlight: this.#inFlight, dropped: this.#dropped })
    }
    this.#startWindow(nowMs + windowMs)
  }

  /** A dropped request contributes the drop and the number in flight, but not its time. */
  #add(latencyMs: number, inFlight: number, dropped: boolean): void {
    this.#inFlight = Math.max(this.#inFlight, inFlight)
    this.#dropped ||= dropped
    if (dropped) return
    this.#count++
    this.#sumMs += latencyMs
  }

  #startWindow(untilMs: number): void {
    this.#untilMs = untilMs
    this.#count = 0
    this.#sumMs = 0
    this.#inFlight = 0
    this.#dropped = false
  }
}
