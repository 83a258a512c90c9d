import { scramble } from '../lib/hash.ts'

/** Cells in a row. A count is too high by about total / width. */
const WIDTH = 1024
const ROWS = 4
/** After this long an admission counts half. */
const HALF_LIFE_MS = 10_000
/** Weights grow, so that old counts need not shrink. Above this weight all counts are scaled back. */
const LARGEST_WEIGHT = 2 ** 40
/** If the clock goes back further than this, it was reset: time continues from there. */
const CLOCK_SET_BACK_MS = 5_000

export interface AdmissionSketchOptions {
  /** The part of a class's admissions that one key may have. Range: above 0 to 1. */
  readonly maxShare: number
  /** Admissions within a half-life that are always allowed, as for a family behind one address. */
  readonly minAdmissions: number
  /** A random number, so that no client can choose an address that shares cells with another client's. */
  readonly seed: number
}

/**
 * Limits the part of a class's admissions that one client, address range or API key can take. A count-min sketch
 * counts admissions by key with exponential decay. Its memory is fixed: several keys share a cell, and the smallest
 * cell of a key is its count or slightly more.
 */
export class AdmissionSketch {
  readonly #maxShare: number
  readonly #minAdmissions: number
  readonly #seed: number
  readonly #cells = new Float64Array(WIDTH * ROWS)
  #total = 0
  #weight = 1
  #nowMs: number

  constructor({ maxShare, minAdmissions, seed }: AdmissionSketchOptions, nowMs: number) {
    this.#maxShare = maxShare
    this.#minAdmissions = minAdmissions
    this.#seed = seed
    this.#nowMs = nowMs
  }

  /** May this key have one more admission? Matters only while the class is contended. */
  allows(keyHash: number, nowMs: number): boolean {
    const weight = this.#weightAt(nowMs)
    const count = this.#count(keyHash) / weight
    if (count + 1 <= this.#minAdmissions) return true
    return count + 1 <= this.#maxShare * (this.#total / weight)
  }

  /** Counts an admission. */
  admit(keyHash: number, nowMs: number): void {
    const weight = this.#weightAt(nowMs)
    this.#total += weight
    // A cell above the new count is shared with a key that has more admissions, so it stays.
    const count = this.#count(keyHash) + weight
    for (let row = 0; row < ROWS; row++) {
      const cell = this.#cellOf(keyHash, row)
      if (this.#cells[cell]! < count) this.#cells[cell] = count
    }
  }

  #count(keyHash: number): number {
    let least = Number.POSITIVE_INFINITY
    for (let row = 0; row < ROWS; row++)
      least = Math.min(least, this.#cells[this.#cellOf(keyHash, row)]!)
    return least
  }

  #cellOf(keyHash: number, row: number): number {
    return row * WIDTH + ((scramble(keyHash ^ scramble(this.#seed + row)) >>> 0) % WIDTH)
  }

  /** The weight of an admission now: twice that of an admission one half-life ago. */
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
