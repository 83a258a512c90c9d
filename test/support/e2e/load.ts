import { send } from './client.ts'

/** Requests at fixed times, whatever becomes of those before, until it is stopped. */
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

  /** Ends it, and waits until every request has had its end. */
  async stop(): Promise<{ sent: number; answered: number; broken: number }> {
    clearInterval(this.#timer)
    await Promise.all(this.#under)
    return { sent: this.#under.length, answered: this.#answered, broken: this.#broken }
  }
}
