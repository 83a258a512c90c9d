import { scramble } from '../lib/hash.ts'

const ROWS = 4
/** After this long a count is worth half. */
const HALF_LIFE_MS = 10_000
/** At a steady rate the count of a key is the rate times this many seconds. So much may also come at once. */
export const WORTH_S = HALF_LIFE_MS / 1000 / Math.LN2
/** Weights grow, so that old counts need not shrink. Above this weight all counts are scaled back. */
const LARGEST_WEIGHT = 2 ** 40
/** If the clock goes back further than this, it was reset: time continues from there. */
const CLOCK_SET_BACK_MS = 5_000

/**
 * A count-min sketch that counts by key with exponential decay. Its memory is fixed: several keys share a cell, and the
 * smallest cell of a key is its count or slightly more, by about total / width.
 */
export class CountSketch {
  readonly #seed: number
  readonly #width: number
  readonly #cells: Float32Array
  #total = 0
  #weight = 1
  #nowMs: number

  /** `seed` is a random number, so that no client can choose a key that shares cells with another client's. */
  constructor(seed: number, width: number, nowMs: number) {
    this.#seed = seed
    this.#width = width
    this.#cells = new Float32Array(width * ROWS)
    this.#nowMs = nowMs
  }

  count(keyHash: number, nowMs: number): number {
    const weight = this.#weightAt(nowMs)
    return this.#weighted(keyHash) / weight
  }

  total(nowMs: number): number {
    const weight = this.#weightAt(nowMs)
    return this.#total / weight
  }

  add(keyHash: number, nowMs: number): void {
    const weight = this.#weightAt(nowMs)
    this.#total += weight
    // A cell above the new count is shared with a key that has a higher count, so it stays.
    const count = this.#weighted(keyHash) + weight
    for (let row = 0; row < ROWS; row++) {
      const cell = this.#cellOf(keyHash, row)
      if (this.#cells[cell]! < count) this.#cells[cell] = count
    }
  }

  #weighted(keyHash: number): number {
    let least = Number.POSITIVE_INFINITY
    for (let row = 0; row < ROWS; row++)
      least = Math.min(least, this.#cells[this.#cellOf(keyHash, row)]!)
    return least
  }

  #cellOf(keyHash: number, row: number): number {
    const width = this.#width
    return row * width + ((scramble(keyHash ^ scramble(this.#seed + row)) >>> 0) % width)
  }

  /** The weight of a count now: twice that of a count one half-life ago. */
  #weightAt(nowMs: number): number {
    const elapsedMs = nowMs - this.#nowMs
    if (elapsedMs > 0 || elapsedMs < -CLOCK_SET_BACK_MS) this.#nowMs = nowMs
    if (elapsedMs > 0) this.#weight *= 2 ** (elapsedMs / HALF_LIFE_MS)
    if (this.#weight > LARGEST_WEIGHT) {
      // After a long silence the weight is infinite, and all counts become 0.
      for (let i = 0; i < this.#cells.length; i++) this.#cells[i]! /= this.#weight
      this.#total /= this.#weight
      this.#weight = 1
    }
    return this.#weight
  }
}
