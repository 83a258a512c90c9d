import { fetchOrThrow } from './fetch-or-throw.ts'
import type { ServerCounters } from './server-counters.ts'
import type { ServerPool } from './server-pool.ts'

/**
 * The tries of one request at the servers of a pool. A GET or HEAD that cannot reach its server goes to another one,
 * once. The outcome of each try is counted for its server.
 */
export class Failover {
  readonly #pool: ServerPool
  readonly #counters: ServerCounters
  readonly #target: string
  readonly #coin: () => number
  readonly #clientSignal: AbortSignal
  #server: string
  #isOver = false

  /** `target` is path and query; `clientSignal` aborts when the client leaves. */
  constructor(
    pool: ServerPool,
    server: string,
    target: string,
    coin: () => number,
    clientSignal: AbortSignal,
  ) {
    this.#pool = pool
    this.#counters = pool.counters!
    this.#server = server
    this.#target = target
    this.#coin = coin
    this.#clientSignal = clientSignal
  }

  async send(outgoing: Request, signal: AbortSignal | null): Promise<Response> {
    const { method } = outgoing
    const isSafe = method === 'GET' || method === 'HEAD'
    try {
      return await this.#ask(outgoing, signal)
    } catch (error) {
      const another =
        isSafe && !this.#isGivenUp(signal)
          ? this.#pool.pickAnother(this.#server, this.#coin())
          : null
      if (another === null) throw error
      this.#server = another
      return this.#ask(new Request(`${another}${this.#target}`, outgoing), signal)
    }
  }

  /** The wait is over. A later answer is not counted. */
  end(isTooSlow: boolean): void {
    if (isTooSlow) this.#counters.failed(this.#server)
    this.#isOver = true
  }

  async #ask(outgoing: Request, signal: AbortSignal | null): Promise<Response> {
    const server = this.#server
    try {
      const response = await fetchOrThrow(outgoing, signal)
      // Where the gate checks the servers itself, only a check shows that one is healthy.
      if (!this.#isOver && this.#pool.healthCheck === null) this.#counters.answered(server)
      return response
    } catch (error) {
      if (!this.#isGivenUp(signal)) this.#counters.failed(server)
      throw error
    }
  }

  /** If so, the failure is not the server's. */
  #isGivenUp(signal: AbortSignal | null): boolean {
    return this.#isOver || signal?.aborted === true || this.#clientSignal.aborted
  }
}
