import { Dither } from './dither.ts'
import { TokenBucket } from './token-bucket.ts'

/** An isolate may admit this many times its usual part of the guarantee. */
const SURGE_FACTOR = 2
/** But it may not admit more than this many times the whole guarantee. Above 1, because Poisson arrivals vary. */
const WHOLE_FACTOR = 1.5
/** Tokens per second for a quiet or new isolate, because its part is not known. */
const QUIET_RATE = 0.25
/** Enough for the random bursts of a quiet isolate. */
const LEAST_DEPTH = 4
const DEPTH_S = 2
/** An isolate with this part of all draws sees nearly all traffic. */
const NEARLY_ALL = 0.9
/** Weight of the newest interval in the isolate's own arrival rate. */
const RATE_WEIGHT = 0.5
/** Shorter intervals are too short to measure a rate. */
const LEAST_INTERVAL_MS = 500

/**
 * One isolate's part of a class's guaranteed rate (the leaky bucket of Urgaonkar and Shenoy 2005, §3.1). The rate is
 * exact for the sum over all isolates: each of them admits the same part of its arrivals, which is the guaranteed rate
 * divided by the arrival rate in the plan. So neither the spread of arrivals nor the number of isolates matters. If
 * the rate were divided among isolates, those with few arrivals would waste their part.
 *
 * The bucket only limits a surge that the plan does not know of yet. It is too wide to have an effect before.
 */
export class Guarantee {
  readonly #dither: Dither
  readonly #bucket: TokenBucket
  #conforming = 0
  #arrivals = 0
  #rate = 0
  #sinceMs: number

  /** `phase` is a random number in [0, 1). */
  constructor(phase: number, nowMs: number) {
    this.#dither = new Dither(phase)
    // A lone visitor finds a token. In a surge each of many new isolates has one, and not a burst.
    this.#bucket = new TokenBucket(nowMs, 1)
    this.#bucket.set(QUIET_RATE, LEAST_DEPTH, nowMs)
    this.#sinceMs = nowMs
  }

  /**
   * Call this with each new plan. `guaranteed` is the rate of the whole class, and `share` is this isolate's part of all
   * draws. An isolate that sees nearly all traffic has the whole guarantee, also after a quiet time.
   */
  set(conforming: number, guaranteed: number, nowMs: number, share = 0): void {
    this.#measure(nowMs)
    this.#conforming = conforming
    const part = Math.max(QUIET_RATE, SURGE_FACTOR * conforming * this.#rate)
    const rate = Math.min(WHOLE_FACTOR * guaranteed, part)
    const least = share >= NEARLY_ALL ? guaranteed : 0
    const depth = Math.max(LEAST_DEPTH, DEPTH_S * rate, least)
    this.#bucket.set(Math.max(rate, least), depth, nowMs)
  }

  /** Is this arrival within the guarantee? Call this exactly once for each arrival. */
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
