import { scramble } from '../lib/hash.ts'

/**
 * So that one client, address range or API key cannot take a class's whole share: admissions by key
 * in a count-min sketch that forgets with a half-life. Its memory is fixed, whoever comes and
 * however many: a key shares its cells with others, and the least of its cells is its count or a
 * little more.
 */

export interface AdmissionSketchOptions {
  /** The part of a class's admissions that one key may have. Range: above 0 to 1. @default 0.1 */
  readonly maxShare?: number
  /**
   * Admissions within a half-life that are never too many, as a family behind one address makes.
   * @default 5
   */
  readonly least?: number
  /** Cells in a row: a count is too high by about total / width. @default 1024 */
  readonly width?: number
  /** Rows. @default 4 */
  readonly depth?: number
  /** After this long an admission counts half. @default 10,000 */
  readonly halfLifeMs?: number
  /** A coin, so that nobody can choose addresses that share cells with a rival's. */
  readonly seed: number
}

/** Weights grow instead of counts that shrink; beyond this all are scaled back. */
const LARGEST_WEIGHT = 2 ** 40
/** A clock further back than this was set anew, and time goes on from there. */
const CLOCK_SET_BACK_MS = 5_000

export class AdmissionSketch {
  readonly #maxShare: number
  readonly #least: number
  readonly #width: number
  readonly #depth: number
  readonly #halfLifeMs: number
  readonly #seed: number
  readonly #cells: Float64Array
  #total = 0
  #weight = 1
  #nowMs: number

  constructor(options: AdmissionSketchOptions, nowMs: number) {
    const { maxShare = 0.1, least = 5, width = 1024, depth = 4, halfLifeMs = 10_000 } = options
    this.#maxShare = maxShare
    this.#least = least
    this.#width = width
    this.#depth = depth
    this.#halfLifeMs = halfLifeMs
    this.#seed = options.seed
    this.#cells = new Float64Array(width * depth)
    this.#nowMs = nowMs
  }

  /**
   * May this key have one more admission? To be asked only while the class is contended.
   * `classRate` is the class's admissions per second in a wider view than this isolate's own, its
   * colo's for instance; 0 where none is known: then the isolate's own admissions are the measure.
   */
  allows(keyHash: number, classRate: number, nowMs: number): boolean {
    const weight = this.#weightAt(nowMs)
    const count = this.#count(keyHash) / weight
    if (count + 1 <= this.#least) return true
    // At a steady rate r the decayed count comes to r × half-life / ln 2.
    const expected = (classRate * this.#halfLifeMs) / 1000 / Math.LN2
    const total = Math.max(this.#total / weight, expected > 0 ? expected : 0)
    return count + 1 <= this.#maxShare * total
  }

  /** Counts an admission. */
  admit(keyHash: number, nowMs: number): void {
    const weight = this.#weightAt(nowMs)
    this.#total += weight
    // Only cells below the new count are raised to it: others hold it already, for somebody else.
    const count = this.#count(keyHash) + weight
    for (let row = 0; row < this.#depth; row++) {
      const cell = this.#cellOf(keyHash, row)
      if (this.#cells[cell]! < count) this.#cells[cell] = count
    }
  }

  /** The part of the latest admissions that this key had. */
  share(keyHash: number, nowMs: number): number {
    this.#weightAt(nowMs)
    return this.#total > 0 ? Math.min(1, this.#count(keyHash) / this.#total) : 0
  }

  #count(keyHash: number): number {
    let least = Number.POSITIVE_INFINITY
    for (let row = 0; row < this.#depth; row++)
      least = Math.min(least, this.#cells[this.#cellOf(keyHash, row)]!)
    return least
  }

  #cellOf(keyHash: number, row: number): number {
    return (
      row * this.#width + ((scramble(keyHash ^ scramble(this.#seed + row)) >>> 0) % this.#width)
    )
  }

  /** What an admission now counts: twice as much as one a half-life ago. */
  #weightAt(nowMs: number): number {
    const elapsedMs = nowMs - this.#nowMs
    if (elapsedMs > 0 || elapsedMs < -CLOCK_SET_BACK_MS) this.#nowMs = nowMs
    if (elapsedMs > 0) this.#weight *= 2 ** (elapsedMs / this.#halfLifeMs)
    if (this.#weight > LARGEST_WEIGHT) {
      // After a long silence the weight is infinite, and all counts are scaled down to nothing.
      for (let i = 0; i < this.#cells.length; i++) this.#cells[i]! /= this.#weight
      this.#total /= this.#weight
      this.#weight = 1
    }
    return this.#weight
  }
}
