import type { Setup } from '../protocol/feedback.ts'

/** Far more clocks than are wrong at the same time. */
const MOST_AHEAD = 32

/**
 * Reads the time of setups. A time from the future is taken as the time when the setup was first seen, so that a wrong
 * clock does not hold its configuration in force for good.
 */
export class SetupTime {
  /** When each setup from the future was first seen, by id, the oldest first. */
  readonly #ahead = new Map<string, number>()

  /** The setup with a time that is not after `nowMs`. */
  bounded(setup: Setup, nowMs: number): Setup {
    if (setup.sinceMs <= nowMs) return setup
    // Its sender repeats it until it is in force. A repeated one is not a newer one.
    const sinceMs = this.#ahead.get(setup.id) ?? nowMs
    this.#ahead.set(setup.id, sinceMs)
    if (this.#ahead.size > MOST_AHEAD) this.#ahead.delete(this.#ahead.keys().next().value!)
    return { ...setup, sinceMs }
  }
}
