import { Dither } from './dither.ts'
import { TokenBucket } from './token-bucket.ts'

/** An isolate may pass this many times its usual part of the guarantee, */
const SURGE_FACTOR = 2
/** but never much more than the whole guarantee: the rest leaves Poisson arrivals some play. */
const WHOLE_FACTOR = 1.5
/** Tokens per second that a quiet or new isolate gets, whose part is not known. */
const QUIET_RATE = 0.25
/** Room for the chance bursts of a quiet isolate. */
const LEAST_DEPTH = 4
const DEPTH_S = 2
/** Weight of the newest interval in the isolate's own rate of arrivals. */
const RATE_WEIGHT = 0.5
/** Shorter intervals say too little of a rate. */
const LEAST_INTERVAL_MS = 500

/**
 * One isolate's part in a class's guaranteed rate (the leaky bucket of Cataclysm §3.1), true for
 * the sum over all isolates: everyone lets the same part of their own arrivals in, guaranteed /
 * arrivals as the plan says, however the arrivals are spread and however many isolates come and go.
 * A rate divided over isolates would be lost in those that see less than their part.
 *
 * The bucket only bounds a surge that the plan does not know of yet; it is too wide to bind before.
 */
export class Guarantee {
  readonly #dither: Dither
  readonly #bucket: TokenBucket
  #conforming = 0
  #arrivals = 0
  #rate = 0
  #sinceMs: number

  /** `phase`: a coin in [0, 1). */
  constructor(phase: number, nowMs: number) {
    this.#dither = new Dither(phase)
    this.#bucket = new TokenBucket(nowMs, LEAST_DEPTH)
    this.#bucket.set(QUIET_RATE, LEAST_DEPTH, nowMs)
    this.#sinceMs = nowMs
  }

  /** To be called with each new plan. `guaranteed` is the whole class's rate. */
  set(conforming: number, guaranteed: number, nowMs: number): void {
    this.#measure(nowMs)
    this.#conforming = conforming
    const part = Math.max(QUIET_RATE, SURGE_FACTOR * conforming * this.#rate)
    const rate = Math.min(WHOLE_FACTOR * guaranteed, part)
    this.#bucket.set(rate, Math.max(LEAST_DEPTH, DEPTH_S * rate), nowMs)
  }

  /** Is this arrival within the guarantee? To be asked once for each arrival that is offered. */
  take(nowMs: number): boolean {
    this.#arrivals++
    return this.#dither.draw(this.#conforming) && this.#bucket.take(1, 0, nowMs)
  }

  #measure(nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs
    if (elapsedMs >= 0 && elapsedMs < LEAST_INTERVAL_MS) return
    if (elapsedMs > 0)
      this.#rate += RATE_WEIGHT * ((this.#arrivals * 1000) / elapsedMs - this.#rate)
    this.#arrivals = 0
    this.#sinceMs = nowMs
  }
}
