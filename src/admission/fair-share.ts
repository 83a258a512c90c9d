import type { FairnessRules } from '../config/config.ts'
import { AdmissionSketch } from './admission-sketch.ts'

/** After a refusal of somebody else a client is bound for this long. */
const BOUND_MS = 10_000

/**
 * One class's fairness in this isolate. A client is bound to its part only while somebody else, who is within
 * theirs, is refused: who is alone, or whom nobody misses a place by, may have everything.
 */
export class FairShare {
  readonly #fairness: AdmissionSketch
  /** Who was refused last within their part. */
  #refused = 0
  #refusedMs = Number.NEGATIVE_INFINITY
  /** When somebody else than they was. */
  #otherMs = Number.NEGATIVE_INFINITY

  /** `seed`: a coin in [0, 1), so that nobody can choose a name that counts as a rival's. */
  constructor({ maxShare, least }: FairnessRules, seed: number, nowMs: number) {
    this.#fairness = new AdmissionSketch(
      { maxShare, least, seed: Math.floor(seed * 2 ** 32) },
      nowMs,
    )
  }

  /** Has this client its part already, at others' cost? */
  isTooMuch(client: number, nowMs: number): boolean {
    const sinceMs = this.#refused === client ? this.#otherMs : this.#refusedMs
    return nowMs - sinceMs < BOUND_MS && !this.#fairness.allows(client, 0, nowMs)
  }

  admitted(client: number, nowMs: number): void {
    this.#fairness.admit(client, nowMs)
  }

  /** For want of room, and not because it was too much. */
  refused(client: number, nowMs: number): void {
    if (this.#refused === client && this.#refusedMs === nowMs) return
    if (!this.#fairness.allows(client, 0, nowMs)) return
    if (this.#refused !== client) this.#otherMs = this.#refusedMs
    this.#refused = client
    this.#refusedMs = nowMs
  }
}
