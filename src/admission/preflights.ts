import { CountSketch, WORTH_S } from './count-sketch.ts'
import { TokenBucket } from './token-bucket.ts'

/** Preflights per second without a request of a session, and how many may come at once. */
const ALONE_PER_SECOND = 20
const ALONE_AT_ONCE = 300
/** Of one address. Bursts are allowed as in `session.maxRate`. */
const PER_ADDRESS = 20
const WIDTH = 1024

/**
 * Bounds the CORS preflights that pass uncounted in this isolate: browsers send at most one for a request. One that is
 * too many is decided like the request of a new visitor.
 */
export class Preflights {
  readonly #alone: TokenBucket
  readonly #addresses: CountSketch
  /** Requests of sessions that no preflight has used yet. */
  #earned = 0

  /** `coin` is a random number in [0, 1). */
  constructor(coin: number, nowMs: number) {
    this.#alone = new TokenBucket(nowMs, ALONE_AT_ONCE)
    this.#alone.set(ALONE_PER_SECOND, ALONE_AT_ONCE, nowMs)
    this.#addresses = new CountSketch(Math.floor(coin * 2 ** 32), WIDTH, nowMs)
  }

  /** A session has made a request, so it may have sent a preflight. */
  earn(): void {
    if (this.#earned < ALONE_AT_ONCE) this.#earned++
  }

  /** May a preflight pass? `address` is a hash; null: unknown. */
  pass(address: number | null, nowMs: number): boolean {
    const isTooMany =
      address !== null && this.#addresses.count(address, nowMs) + 1 > PER_ADDRESS * WORTH_S
    if (isTooMany || !this.#take(nowMs)) return false
    if (address !== null) this.#addresses.add(address, nowMs)
    return true
  }

  #take(nowMs: number): boolean {
    if (this.#earned === 0) return this.#alone.take(1, 0, nowMs)
    this.#earned--
    return true
  }
}
