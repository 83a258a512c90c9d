import type { Setup } from '../protocol/feedback.ts'

/**
 * Reads the time of setups. A time from the future is taken as the time when the setup was first seen, so that one wrong
 * clock does not hold its configuration in force for good.
 */
export class SetupTime {
  #ahead: { readonly id: string; readonly seenAtMs: number } | null = null

  /** The setup with a time that is not after `nowMs`. */
  bounded(setup: Setup, nowMs: number): Setup {
    if (setup.sinceMs <= nowMs) return setup
    // Its sender repeats it until it is in force. A repeated one is not a newer one.
    if (this.#ahead?.id !== setup.id) this.#ahead = { id: setup.id, seenAtMs: nowMs }
    return { ...setup, sinceMs: this.#ahead.seenAtMs }
  }
}
