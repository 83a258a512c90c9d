import type { Lease } from '../protocol/coordinator-port.ts'

/** What is left of the lease that the relay has given this isolate. */
export class LeaseState {
  #left = 0
  #untilMs = Number.NEGATIVE_INFINITY
  #holds: Lease['holds'] = 'asks'

  /** The newest answer replaces the lease: the relay has taken back what was not used of the old one. */
  set(lease: Lease, nowMs: number): void {
    this.#left = lease.load
    this.#untilMs = nowMs + lease.forMs
    this.#holds = lease.holds
  }

  end(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY
  }

  isInForce(nowMs: number): boolean {
    return nowMs < this.#untilMs
  }

  /** Was the limit not needed when the relay gave this lease? */
  get isInCalm(): boolean {
    return this.#holds === 'asks'
  }

  /** Should the isolate ask for more before it refuses? Only while the limit is not needed. */
  wantsMore(cost: number, nowMs: number): boolean {
    return this.isInForce(nowMs) && this.isInCalm && this.#left < cost
  }

  /** Does it hold a class with this probability? Otherwise the class passes without it. */
  holds(probability: number): boolean {
    return this.#holds !== 'drawn' || probability < 1
  }

  take(cost: number): boolean {
    if (!(this.#left >= cost)) return false
    this.#left -= cost
    return true
  }
}
