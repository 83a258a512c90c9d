export type PolicerKind = 'batch' | 'threshold'

export interface PolicerSwitchOptions {
  /** Requests per second of this isolate above which it stops testing batches. */
  readonly mostPerSecond: number
  /**
   * How long the rate must stay below `calmPart` of that before it starts again. @default 10,000
   */
  readonly calmMs?: number
  /** @default 0.8 */
  readonly calmPart?: number
}

const WINDOW_MS = 1000
/** A clock further back than this was set anew, and time goes on from there. */
const CLOCK_SET_BACK_MS = 5_000

/**
 * `police: "auto"`: accuracy while there is time for it, speed above (Cataclysm §3.3). A Worker
 * cannot measure its own CPU, so the rate of requests stands for the load. It switches to
 * thresholds in the very second in which the rate is passed, and back only after a calm spell.
 */
export class PolicerSwitch {
  readonly #most: number
  readonly #calm: number
  readonly #calmMs: number
  #police: PolicerKind = 'batch'
  #windowMs: number
  #inWindow = 0
  #calmSinceMs: number

  constructor(options: PolicerSwitchOptions, nowMs: number) {
    const { mostPerSecond, calmMs = 10_000, calmPart = 0.8 } = options
    this.#most = (mostPerSecond * WINDOW_MS) / 1000
    this.#calm = this.#most * calmPart
    this.#calmMs = calmMs
    this.#windowMs = nowMs
    this.#calmSinceMs = nowMs
  }

  /** Counts a request, and says how it is to be judged. */
  arrive(nowMs: number): PolicerKind {
    const elapsedMs = nowMs - this.#windowMs
    if (elapsedMs >= WINDOW_MS || elapsedMs < -CLOCK_SET_BACK_MS) {
      this.#windowMs = nowMs
      this.#inWindow = 0
      if (nowMs < this.#calmSinceMs) this.#calmSinceMs = nowMs
    }
    this.#inWindow++
    if (this.#inWindow > this.#calm) this.#calmSinceMs = nowMs
    if (this.#inWindow > this.#most) this.#police = 'threshold'
    else if (nowMs - this.#calmSinceMs >= this.#calmMs) this.#police = 'batch'
    return this.#police
  }
}
