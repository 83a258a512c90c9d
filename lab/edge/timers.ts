import type { Actor, Agenda } from '../engine/agenda.ts'

/**
 * Simulated time for code that waits: `after` for messages in transit, `sleep` for the product's own
 * promises. Each of these events interrupts the agenda, so that the code that awaited it runs first.
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

  /** A promise may go on at once: no event may come before it. */
  flushed<Value>(promise: Promise<Value>): Promise<Value> {
    this.after(0, () => {})
    return promise
  }

  handle(_kind: number, number: number): void {
    const action = this.#actions.get(number)!
    this.#actions.delete(number)
    action()
    this.#agenda.interrupt()
  }
}

/**
 * Runs the agenda for code that waits by promises. Whenever an event lets a promise go on, all that follows
 * from it happens before the next event.
 */
export async function runWithPromises(agenda: Agenda, untilMs: number): Promise<void> {
  while (!agenda.runUntil(untilMs)) await promisesSettled()
}

/** The event loop takes its next turn only when no promise is left that can go on. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
