/**
 * With fewer values the average is the plain mean, as in the warm-up of Gradient2 and failsafe-go.
 */
const WARM_UP = 10

/** Exponential moving average over about n values: the newest has weight 2/(n + 1). */
export class MovingAverage {
  readonly #weight: number
  #count = 0
  #value = 0

  constructor(values: number) {
    this.#weight = 2 / (values + 1)
  }

  get value(): number {
    return this.#value
  }

  add(value: number): number {
    this.#count++
    const weight = this.#count <= WARM_UP ? 1 / this.#count : this.#weight
    this.#value += weight * (value - this.#value)
    return this.#value
  }

  scale(factor: number): void {
    this.#value *= factor
  }
}
