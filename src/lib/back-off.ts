const FIRST_MS = 2000
const LONGEST_MS = 32_000

/**
 * When to try again after an overload: each time in a row twice as late. The time is drawn, so that those who met the overload
 * together come back apart.
 */
export class BackOff {
  #times = 0
  #untilMs = Number.NEGATIVE_INFINITY

  /** Nothing is sent for so long. A clock that was set back does not make a pause longer. */
  leftMs(nowMs: number): number {
    const leftMs = this.#untilMs - nowMs
    return leftMs > 0 && leftMs <= LONGEST_MS ? leftMs : 0
  }

  /** `coin` is a random number in [0, 1): the pause is between half and all of its length. */
  met(nowMs: number, coin: number): void {
    const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#times++)
    this.#untilMs = nowMs + longestMs * (0.5 + coin / 2)
  }

  over(): void {
    this.#times = 0
    this.#untilMs = Number.NEGATIVE_INFINITY
  }
}

/** The runtime marks the errors of a Durable Object that has more calls than it can handle. Those must not be repeated. */
export function isOverloaded(error: unknown): boolean {
  return (error as { overloaded?: unknown } | null | undefined)?.overloaded === true
}
