/** Weight of the newest request. */
const WEIGHT = 0.02
/** After this many requests of known size what was learned is believed. */
const ENOUGH = 20
/** So fast a response tells nothing of sharing. */
const LEAST_SLOWDOWN = 0.01

/**
 * How much requests at the origin slow each other down: one beside N others takes 1 + N/n times as long, and n is
 * learned from requests whose size is known. The number of an origin's servers, as it shows.
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

  /** n; until enough was seen, what others say. */
  servers(otherwise: number): number {
    if (this.#seen < ENOUGH || this.#slowdown < LEAST_SLOWDOWN) return Math.max(1, otherwise)
    return Math.max(1, this.#others / this.#slowdown)
  }
}
