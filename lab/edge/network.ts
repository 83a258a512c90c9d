import { type Distribution, deterministic } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import type { Timers } from './timers.ts'

/** A path for messages: delays, losses and late messages. */
export interface WayOptions {
  /** In milliseconds, one way. */
  readonly delay?: Distribution
  /** Share of the messages that are lost. @default 0 */
  readonly lost?: number
  /** Share of the messages that are late, and by how much. @default none */
  readonly late?: { readonly part: number; readonly by: Distribution }
}

/** Carries messages in one direction. */
export class Way {
  readonly #timers: Timers
  readonly #random: Random
  readonly #delay: Distribution
  readonly #lost: number
  readonly #late: { readonly part: number; readonly by: Distribution }

  constructor(timers: Timers, random: Random, options: WayOptions) {
    this.#timers = timers
    this.#random = random
    this.#delay = options.delay ?? deterministic({ value: 0 })
    this.#lost = options.lost ?? 0
    this.#late = options.late ?? { part: 0, by: this.#delay }
  }

  /** `lost` is called instead of `arrive` if the message is lost. Without it the sender never knows. */
  carry(arrive: () => void, lost?: () => void): void {
    const random = this.#random
    const delayMs = this.#delay.draw(random)
    const isLate = random.next() < this.#late.part
    const isLost = random.next() < this.#lost
    if (!isLost) this.#timers.after(delayMs + (isLate ? this.#late.by.draw(random) : 0), arrive)
    else if (lost) this.#timers.after(delayMs, lost)
  }
}
