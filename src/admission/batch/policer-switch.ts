export type PolicerKind = 'batch' | 'threshold'

const WINDOW_MS = 1000
/** The rate must stay below this part of the highest rate, for this long, before batches are tested again. */
const CALM_PART = 0.8
const CALM_MS = 10_000
/** If the clock goes back further than this, it was reset: time continues from there. */
const CLOCK_SET_BACK_MS = 5_000

/**
 * `police: "auto"`: batches at low rates, thresholds at high rates, because batches cost more time (Urgaonkar and
 * Shenoy 2005, §3.3). A Worker cannot measure its own CPU, so the request rate stands for its load. It switches to
 * thresholds as soon as the rate is exceeded, and back only after a calm period.
 */
export class PolicerSwitch {
  readonly #most: number
  readonly #calm: number
  #kind: PolicerKind = 'batch'
  #windowMs: number
  #inWindow = 0
  #calmSinceMs: number

  /** Above `mostPerSecond` requests this isolate stops testing batches. */
  constructor(mostPerSecond: number, nowMs: number) {
    this.#most = (mostPerSecond * WINDOW_MS) / 1000
    this.#calm = this.#most * CALM_PART
    this.#windowMs = nowMs
    this.#calmSinceMs = nowMs
  }

  /** Counts a request, and returns the kind of test for it. */
  arrive(nowMs: number): PolicerKind {
    const elapsedMs = nowMs - this.#windowMs
    if (elapsedMs >= WINDOW_MS || elapsedMs < -CLOCK_SET_BACK_MS) {
      this.#windowMs = nowMs
      this.#inWindow = 0
      if (nowMs < this.#calmSinceMs) this.#calmSinceMs = nowMs
    }
    this.#inWindow++
    if (this.#inWindow > this.#calm) this.#calmSinceMs = nowMs
    if (this.#inWindow > this.#most) this.#kind = 'threshold'
    else if (nowMs - this.#calmSinceMs >= CALM_MS) this.#kind = 'batch'
    return this.#kind
  }
}
