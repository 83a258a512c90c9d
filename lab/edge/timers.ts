import type { Actor, Agenda } from '../engine/agenda.ts'

/**
 * Time for code that waits: `after` for messages under way, `sleep` for the product's own promises. After
 * each of these events the agenda is interrupted, so that whoever awaited it can go on first.
 */
export class Timers implements Actor {
  readonly #agenda: Agenda
  readonly #actor: number
  readonly #actions = new Map<number, () => void>()
  #set = 0

  constructor(agenda: Agenda) {
    this.#agenda = agenda
    this.#actor = agenda.register(this)
  }

  get nowMs(): number {
    return this.#agenda.nowMs
  }

  after(ms: number, action: () => void): void {
    const number = this.#set++
    this.#actions.set(number, action)
    this.#agenda.schedule(this.#agenda.nowMs + ms, this.#actor, 0, number)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  handle(_kind: number, number: number): void {
    const action = this.#actions.get(number)!
    this.#actions.delete(number)
    action()
    this.#agenda.interrupt()
  }
}
