import type { SessionRules } from '../config/config.ts'
import { keyHashOf } from '../lib/hash.ts'
import { CountSketch, WORTH_S } from './count-sketch.ts'

/** Cells in a row. At 10,000 requests/s in one isolate a count is too high by about a tenth of the bound. */
const SESSION_WIDTH = 8192
const RANGE_WIDTH = 1024

/**
 * Bounds the requests of admitted sessions in this isolate: by session, and by address range. This is the one
 * exception to the rule that admitted sessions pass. Whoever passes a cookie around shares one browser's rate.
 */
export class SessionRates {
  readonly #seed: number
  readonly #sessions: RateBound | null
  readonly #ranges: RateBound | null

  /** `coin` is a random number in [0, 1). */
  constructor({ maxRate, maxRangeRate }: SessionRules, coin: number, nowMs: number) {
    this.#seed = Math.floor(coin * 2 ** 32)
    this.#sessions = boundOf(maxRate, this.#seed, SESSION_WIDTH, nowMs)
    this.#ranges = boundOf(maxRangeRate, this.#seed, RANGE_WIDTH, nowMs)
  }

  /** Does the address of a session matter? */
  get needsRange(): boolean {
    return this.#ranges !== null
  }

  /** May this session make one more request now? If so, it is counted. `range` is a hash; null: unknown. */
  allows(id: string, range: number | null, nowMs: number): boolean {
    const sessions = this.#sessions
    const ranges = range === null ? null : this.#ranges
    const key = sessions === null ? 0 : keyHashOf(id, this.#seed)
    if (sessions?.allows(key, nowMs) === false || ranges?.allows(range!, nowMs) === false)
      return false
    sessions?.counts.add(key, nowMs)
    ranges?.counts.add(range!, nowMs)
    return true
  }
}

class RateBound {
  readonly counts: CountSketch
  readonly #most: number

  constructor(rate: number, counts: CountSketch) {
    this.counts = counts
    this.#most = rate * WORTH_S
  }

  allows(keyHash: number, nowMs: number): boolean {
    return this.counts.count(keyHash, nowMs) + 1 <= this.#most
  }
}

function boundOf(rate: number, seed: number, width: number, nowMs: number): RateBound | null {
  return rate === 0 ? null : new RateBound(rate, new CountSketch(seed, width, nowMs))
}
