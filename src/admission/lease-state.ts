import type { Lease } from '../protocol/coordinator-port.ts'

/** What is left of the lease that the relay has given this isolate. */
export class LeaseState {
  #left = 0
  /** With less than this left, nobody is admitted. */
  #least = 1
  #untilMs = Number.NEGATIVE_INFINITY
  #holds: Lease['holds'] = 'asks'
  #asks = 0
  #reportsEnds = false

  /** The newest answer replaces the lease: the relay has taken back what was not used of the old one. */
  set(lease: Lease, lowestCost: number, nowMs: number): void {
    this.#left = lease.load
    // The same for cheap and costly classes, so that they have equal chances.
    this.#least = Math.min(1, lowestCost)
    this.#untilMs = nowMs + lease.forMs
    this.#holds = lease.holds
    this.#asks = lease.asks ?? 0
    this.#reportsEnds = lease.reportsEnds ?? false
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

  /** Is too little left of the lease for a draw of this cost? */
  lacks(cost: number, nowMs: number): boolean {
    return this.isInForce(nowMs) && this.#left < Math.min(this.#least, cost)
  }

  /** Where each draw asks the relay: the part of a class's probability with which it does; 0: none asks. */
  get asks(): number {
    return this.#asks
  }

  /** Must the relay know at once when a request has ended? */
  reportsEnds(nowMs: number): boolean {
    return this.#reportsEnds && this.isInForce(nowMs)
  }

  /** Does it hold a class with this probability? Otherwise the class passes without it. */
  holds(probability: number): boolean {
    return this.#holds !== 'drawn' || probability < 1
  }

  /** What costs more than is left is admitted on credit, or hardly any of it would be. The next report shows it. */
  take(cost: number): boolean {
    if (!(this.#left >= Math.min(this.#least, cost))) return false
    this.#left -= cost
    return true
  }
}
