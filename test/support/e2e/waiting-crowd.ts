import { send } from './client.ts'

/** Visitors without cookies who wait: each comes back with its ticket when it is told to, until it is let in. */
export class WaitingCrowd {
  readonly #url: string
  #waiting = 0
  #isOver = false
  #timers = new Map<NodeJS.Timeout, () => void>()
  readonly #visits: Promise<void>[] = []

  constructor(url: string) {
    this.#url = url
  }

  /** Those who have a ticket. */
  get waiting(): number {
    return this.#waiting
  }

  join(visitors: number): void {
    for (let i = 0; i < visitors; i++) this.#visits.push(this.#visit())
  }

  async stop(): Promise<void> {
    this.#isOver = true
    for (const [timer, wake] of this.#timers) {
      clearTimeout(timer)
      wake()
    }
    await Promise.all(this.#visits)
  }

  async #visit(): Promise<void> {
    let ticket: string | undefined
    while (!this.#isOver) {
      const headers = ticket === undefined ? {} : { 'Tidegate-Ticket': ticket }
      const answer = await send(this.#url, { headers })
      if (answer.status === 200) break
      if (ticket === undefined) this.#waiting++
      ticket = String(answer.headers['tidegate-ticket'])
      await this.#pause(1000 * Number(answer.headers['retry-after']))
    }
    if (ticket !== undefined) this.#waiting--
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, ms)
      this.#timers.set(timer, resolve)
    })
  }
}
