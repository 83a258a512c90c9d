import type { SessionRules } from '../config/config.ts'
import { keyHashOf } from '../lib/hash.ts'
import { CountSketch, WORTH_S } from './count-sketch.ts'

/** Cells in a row. At 10,000 requests/s in one isolate a count is too high by about a tenth of the bound. */
const SESSION_WIDTH = 8192
const RANGE_WIDTH = 1024

/** While visitors are refused, a session may make so many times the requests of a busy one, and at least these. */
const PRESSED_FACTOR = 10
const LEAST_PRESSED = 60
/** From so many times the requests of a busy session on, a session is no example of what sessions ask for. */
const HEAVY_FACTOR = 4
/** Nine of ten sessions make fewer requests than a busy one. */
const BUSY_QUANTILE = 0.9
const BUSY_STEP = 0.2

/** What a session asks for, compared with the others. */
export type SessionUse = 'usual' | 'heavy' | 'over'

/**
 * Bounds the requests of admitted sessions in this isolate: by session, and by address range. This is the one
 * exception to the rule that admitted sessions pass. Whoever passes a cookie around shares one browser's rate, and
 * while visitors are refused, a small multiple of what the other sessions ask for.
 */
export class SessionRates {
  readonly #seed: number
  readonly #sessions: RateBound | null
  readonly #ranges: RateBound | null
  /** The recent requests of a busy session. Before other sessions are known, the bound that always holds. */
  #busy: number

  /** `coin` is a random number in [0, 1). */
  constructor({ maxRate, maxRangeRate }: SessionRules, coin: number, nowMs: number) {
    this.#seed = Math.floor(coin * 2 ** 32)
    this.#sessions = boundOf(maxRate, this.#seed, SESSION_WIDTH, nowMs)
    this.#ranges = boundOf(maxRangeRate, this.#seed, RANGE_WIDTH, nowMs)
    this.#busy = Math.max(1, (maxRate * WORTH_S) / PRESSED_FACTOR)
  }

  /** Does the address of a session matter? */
  get needsRange(): boolean {
    return this.#ranges !== null
  }

  /**
   * A session asks for one more request. It is counted unless it is `over` its bound. `range` is a hash; null: unknown.
   * `isPressed`: visitors are refused now.
   */
  use(id: string, range: number | null, nowMs: number, isPressed: boolean): SessionUse {
    const sessions = this.#sessions
    const ranges = range === null ? null : this.#ranges
    const key = sessions === null ? 0 : keyHashOf(id, this.#seed)
    const count = sessions === null ? 1 : sessions.counts.count(key, nowMs) + 1
    if (sessions !== null && count > (isPressed ? this.#mostPressed(sessions) : sessions.most))
      return 'over'
    if (ranges !== null && ranges.counts.count(range!, nowMs) + 1 > ranges.most) return 'over'
    sessions?.counts.add(key, nowMs)
    ranges?.counts.add(range!, nowMs)
    if (count > HEAVY_FACTOR * this.#busy) return 'heavy'
    this.#learn(count)
    return 'usual'
  }

  #mostPressed({ most }: RateBound): number {
    return Math.min(most, Math.max(LEAST_PRESSED, PRESSED_FACTOR * this.#busy))
  }

  /**
   * A quantile by stochastic approximation. A session with n requests comes n times, so each request has the weight
   * 1/n. Heavy sessions do not count: one session cannot change what a busy one is.
   */
  #learn(count: number): void {
    const up = count > this.#busy ? BUSY_QUANTILE : BUSY_QUANTILE - 1
    this.#busy = Math.max(1, this.#busy * Math.exp((BUSY_STEP * up) / count))
  }
}

interface RateBound {
  readonly counts: CountSketch
  /** Recent requests, by the sketch's decay. */
  readonly most: number
}

function boundOf(rate: number, seed: number, width: number, nowMs: number): RateBound | null {
  return rate === 0 ? null : { counts: new CountSketch(seed, width, nowMs), most: rate * WORTH_S }
}
