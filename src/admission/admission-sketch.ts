import { CountSketch } from './count-sketch.ts'

/** Cells in a row. A count is too high by about total / width. */
const WIDTH = 1024

export interface AdmissionSketchOptions {
  /** The part of a class's admissions that one key may have. Range: above 0 to 1. */
  readonly maxShare: number
  /** Admissions within a half-life that are always allowed, as for a family behind one address. */
  readonly minAdmissions: number
  /** A random number, so that no client can choose an address that shares cells with another client's. */
  readonly seed: number
}

/** Limits the part of a class's admissions that one client, address range or API key can take. */
export class AdmissionSketch {
  readonly #maxShare: number
  readonly #minAdmissions: number
  readonly #counts: CountSketch

  constructor({ maxShare, minAdmissions, seed }: AdmissionSketchOptions, nowMs: number) {
    this.#maxShare = maxShare
    this.#minAdmissions = minAdmissions
    this.#counts = new CountSketch(seed, WIDTH, nowMs)
  }

  /** May this key have one more admission? Matters only while the class is contended. */
  allows(keyHash: number, nowMs: number): boolean {
    const count = this.#counts.count(keyHash, nowMs)
    if (count + 1 <= this.#minAdmissions) return true
    return count + 1 <= this.#maxShare * this.#counts.total(nowMs)
  }

  /** Counts an admission. */
  admit(keyHash: number, nowMs: number): void {
    this.#counts.add(keyHash, nowMs)
  }
}
