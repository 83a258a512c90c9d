import { fetchOrThrow } from './fetch-or-throw.ts'
import type { ServerCounters } from './server-counters.ts'
import type { ServerPool } from './server-pool.ts'

export interface Tried {
  readonly request: Request
  readonly pool: ServerPool
  /** The server that was picked. */
  readonly server: string
  /** What is asked of it: path and query. */
  readonly target: string
  readonly coin: () => number
}

/**
 * A request's tries at the servers of a pool: a GET or HEAD that cannot fetchOrThrow its server goes to another, once. How
 * each server did is tallied.
 */
export class Failover {
  readonly #tried: Tried
  readonly #tally: ServerCounters
  #server: string
  #isOver = false

  constructor(tried: Tried, tally: ServerCounters) {
    this.#tried = tried
    this.#tally = tally
    this.#server = tried.server
  }

  async send(init: RequestInit): Promise<Response> {
    try {
      return await this.#ask(init)
    } catch (error) {
      const another = this.#another(init)
      if (another === null) throw error
      this.#server = another
      return this.#ask(init)
    }
  }

  /** Nobody waits for an answer any longer: what still comes is no evidence. */
  end(isTooSlow: boolean): void {
    if (isTooSlow) this.#tally.failed(this.#server)
    this.#isOver = true
  }

  async #ask(init: RequestInit): Promise<Response> {
    const server = this.#server
    try {
      const response = await fetchOrThrow(`${server}${this.#tried.target}`, init)
      if (!this.#isOver) this.#tally.answered(server)
      return response
    } catch (error) {
      if (!this.#isGivenUp(init)) this.#tally.failed(server)
      throw error
    }
  }

  /** null: it must not be sent twice, or there is nobody else to send it to. */
  #another(init: RequestInit): string | null {
    const { pool, coin, request } = this.#tried
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    if (!isSafe || this.#isGivenUp(init)) return null
    return pool.pickAnother(this.#server, coin())
  }

  /** Then it was not the server that failed. */
  #isGivenUp({ signal }: RequestInit): boolean {
    return this.#isOver || signal?.aborted === true || this.#tried.request.signal.aborted
  }
}
