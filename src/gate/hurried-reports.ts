import type { Background, Runtime } from '../lib/runtime.ts'
import { REPORT_TIMEOUT_MS } from './report-messages.ts'

/** Commands of the origin are reported sooner. Many of them within this time go together. */
const COMMANDS_EVERY_MS = 200
/** Commands wait for the answer to a report that is under way, and look for it so often. */
const LOOK_MS = 20
const MOST_LOOKS = REPORT_TIMEOUT_MS / LOOK_MS
/** The end of a request waits for a report that is on its way, for so long, and looks for it so often. */
const MOST_WAIT_MS = 120
const END_LOOK_MS = 5

interface HurriedOptions {
  readonly runtime: Runtime
  readonly isPaused: () => boolean
  readonly isAnyUnanswered: () => boolean
  /** Is a report on its way whose answer can still be expected? */
  readonly isOnItsWay: () => boolean
  readonly hasCommands: () => boolean
  readonly send: () => Promise<void>
}

/** Reports that do not wait for the second: commands of the origin, and requests that have ended. */
export class HurriedReports {
  readonly #options: HurriedOptions
  /** Is the end of a request going to be reported? */
  #isEnding = false
  #hurriedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: HurriedOptions) {
    this.#options = options
  }

  /** Sends the end of a request. */
  end(background: Background): void {
    if (this.#isEnding) return
    this.#isEnding = true
    background.waitUntil(this.#sendEnd())
  }

  async #sendEnd(): Promise<void> {
    const { runtime, isOnItsWay, isPaused, send } = this.#options
    for (let ms = 0; ms < MOST_WAIT_MS && isOnItsWay(); ms += END_LOOK_MS)
      await runtime.sleep(END_LOOK_MS)
    this.#isEnding = false
    if (!isPaused()) await send()
  }

  /** Sends the commands of the origin. */
  command(background: Background): void {
    const nowMs = this.#options.runtime.now()
    if (this.#hurriedAtMs > nowMs || this.#options.isPaused()) return
    const atMs = Math.max(nowMs, this.#hurriedAtMs + COMMANDS_EVERY_MS)
    this.#hurriedAtMs = atMs
    background.waitUntil(this.#sendCommands(atMs - nowMs))
  }

  async #sendCommands(waitMs: number): Promise<void> {
    const { runtime, isAnyUnanswered, hasCommands, send } = this.#options
    if (waitMs > 0) await runtime.sleep(waitMs)
    // Of two reports at once the later one may arrive first, and then the other would be dropped.
    for (let i = 0; i < MOST_LOOKS && isAnyUnanswered(); i++) await runtime.sleep(LOOK_MS)
    if (hasCommands()) await send()
  }
}
