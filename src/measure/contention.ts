/** Weight of the newest request. */
const WEIGHT = 0.02
/** The learned value is used after this many requests of known size. */
const ENOUGH = 20
/** A smaller slowdown is too small to compute n from it. */
const LEAST_SLOWDOWN = 0.01

/**
 * How much requests at the origin slow each other down. With N others in flight a request takes 1 + N/n times as long,
 * where n is the effective number of servers. It is learned from requests of known size.
 */
export class Contention {
  #others = 0
  #slowdown = 0
  #seen = 0

  /** A request of known size was answered. */
  observe(responseMs: number, serviceMs: number, others: number): void {
    if (!(serviceMs > 0)) return
    this.#seen++
    const weight = Math.max(WEIGHT, 1 / this.#seen)
    this.#others += weight * (others - this.#others)
    this.#slowdown += weight * (Math.max(0, responseMs / serviceMs - 1) - this.#slowdown)
  }

  /** n; until it is learned, `otherwise`. */
  servers(otherwise: number): number {
    if (this.#seen < ENOUGH || this.#slowdown < LEAST_SLOWDOWN) return Math.max(1, otherwise)
    return Math.max(1, this.#others / this.#slowdown)
  }
}
