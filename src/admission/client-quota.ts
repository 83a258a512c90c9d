import type { FairnessRules } from '../config/config.ts'
import { AdmissionSketch } from './admission-sketch.ts'

/** A quota applies for this long after a refusal of another client. */
const QUOTA_APPLIES_MS = 10_000

/**
 * One class's fairness in this isolate. A client's quota applies only while another client is refused within its own
 * quota. Otherwise a client may use all capacity.
 */
export class ClientQuota {
  readonly #sketch: AdmissionSketch
  /** The last client that was refused within its quota. */
  #refused = 0
  #refusedMs = Number.NEGATIVE_INFINITY
  /** When any other client was last refused within its quota. */
  #otherMs = Number.NEGATIVE_INFINITY

  /** `seed` is a random number in [0, 1), so that no client can choose a key that counts as another client's. */
  constructor({ maxShare, minAdmissions }: FairnessRules, seed: number, nowMs: number) {
    this.#sketch = new AdmissionSketch(
      { maxShare, minAdmissions, seed: Math.floor(seed * 2 ** 32) },
      nowMs,
    )
  }

  /** Has this client used its quota, while others are refused? */
  isOverQuota(client: number, nowMs: number): boolean {
    const sinceMs = this.#refused === client ? this.#otherMs : this.#refusedMs
    return nowMs - sinceMs < QUOTA_APPLIES_MS && !this.#sketch.allows(client, nowMs)
  }

  admitted(client: number, nowMs: number): void {
    this.#sketch.admit(client, nowMs)
  }

  /** The client was refused for lack of capacity, not because of its quota. */
  refused(client: number, nowMs: number): void {
    if (this.#refused === client && this.#refusedMs === nowMs) return
    if (!this.#sketch.allows(client, nowMs)) return
    if (this.#refused !== client) this.#otherMs = this.#refusedMs
    this.#refused = client
    this.#refusedMs = nowMs
  }
}
