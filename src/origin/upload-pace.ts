import type { UploadRules } from '../config/config.ts'

/** The least rate holds after this time, as in Apache (`RequestReadTimeout body=20,MinRate=500`). */
export const GRACE_MS = 20_000

/**
 * Is a body arriving fast enough? Only the client's time counts: while a write to the origin is pending, the client
 * waits for the origin.
 */
export class UploadPace {
  readonly #rules: UploadRules
  readonly #startedAtMs: number
  #bytes = 0
  #waitingSinceMs = Number.NaN
  #waitedMs = 0

  constructor(rules: UploadRules, nowMs: number) {
    this.#rules = rules
    this.#startedAtMs = nowMs
  }

  received(bytes: number): void {
    this.#bytes += bytes
  }

  /** The client waits for the origin from now on. */
  hold(nowMs: number): void {
    this.#waitingSinceMs = nowMs
  }

  resume(nowMs: number): void {
    this.#waitedMs += nowMs - this.#waitingSinceMs
    this.#waitingSinceMs = Number.NaN
  }

  /** How long the client has left, if it sends nothing more; 0 or less: it is too slow. */
  leftMs(nowMs: number): number {
    const { minBytesPerS, maxMs } = this.#rules
    const waiting = Number.isNaN(this.#waitingSinceMs) ? 0 : nowMs - this.#waitingSinceMs
    const spentMs = nowMs - this.#startedAtMs
    const byRateMs = GRACE_MS + (this.#bytes / minBytesPerS) * 1000
    return Math.min(maxMs - spentMs, byRateMs - (spentMs - this.#waitedMs - waiting))
  }
}
