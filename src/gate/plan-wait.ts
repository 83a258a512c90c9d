import type { BackOff } from '../lib/back-off.ts'
import type { Runtime } from '../lib/runtime.ts'

/** A visitor waits this long for an answer, and looks for it after each of these steps. */
const LONGEST_MS = 100
const STEPS_MS = [5, 5, 10, 10, 20, 20, 30]
/** After an answer that did not come in time, nobody waits for so long; after each further one in a row twice as long. */
const AGAIN_AFTER_MS = 125
const LONGEST_AGAIN_MS = 1000

/**
 * A visitor waits for an answer to the isolate, 100 ms at the most. It also looks for the answer by its own timer, because a
 * promise of another request may never resolve for it.
 */
export class PlanWait {
  readonly #runtime: Runtime
  readonly #backOff: BackOff
  #againAtMs = Number.NEGATIVE_INFINITY
  /** Answers that did not come in time, in a row. */
  #missed = 0

  constructor(runtime: Runtime, backOff: BackOff) {
    this.#runtime = runtime
    this.#backOff = backOff
  }

  /** Is nothing sent at present, or did an answer not come in time a moment ago? */
  isInVain(nowMs: number): boolean {
    const leftMs = this.#againAtMs - nowMs
    return (leftMs > 0 && leftMs <= LONGEST_AGAIN_MS) || this.#backOff.leftMs(nowMs) > 0
  }

  /** An answer has come. */
  over(): void {
    this.#missed = 0
    this.#againAtMs = Number.NEGATIVE_INFINITY
  }

  /** No answer has come in time. */
  missed(): void {
    const pauseMs = Math.min(LONGEST_AGAIN_MS, AGAIN_AFTER_MS * 2 ** this.#missed++)
    this.#againAtMs = this.#runtime.now() + pauseMs
  }

  /** Waits until it has come, at most so long since this time. False: it has not. */
  async until(
    work: Promise<void>,
    hasCome: () => boolean,
    sinceMs: number,
    longestMs = LONGEST_MS,
  ): Promise<boolean> {
    await Promise.race([work, this.#look(hasCome, sinceMs + longestMs)])
    return hasCome()
  }

  async #look(hasCome: () => boolean, untilMs: number): Promise<void> {
    for (const ms of STEPS_MS) {
      const leftMs = untilMs - this.#runtime.now()
      if (leftMs <= 0) return
      await this.#runtime.sleep(Math.min(ms, leftMs))
      if (hasCome()) return
    }
  }
}
