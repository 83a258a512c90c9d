import { send } from './client.ts'

/** Sends requests at fixed times, whether earlier ones are answered or not, until it is stopped. */
export class Load {
  readonly #timer: NodeJS.Timeout
  readonly #under: Promise<void>[] = []
  #answered = 0
  #broken = 0

  constructor(url: () => string, { everyMs }: { everyMs: number }) {
    this.#timer = setInterval(() => {
      const sent = send(url()).then(
        () => void this.#answered++,
        () => void this.#broken++,
      )
      this.#under.push(sent)
    }, everyMs)
  }

  /** Stops, and waits until every request has ended. */
  async stop(): Promise<{ sent: number; answered: number; broken: number }> {
    clearInterval(this.#timer)
    await Promise.all(this.#under)
    return { sent: this.#under.length, answered: this.#answered, broken: this.#broken }
  }
}
