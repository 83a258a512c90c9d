import type { OriginPool } from '../config/types.ts'

/** Picks servers in proportion to their weights. */
export class Pool {
  readonly #urls: readonly string[]
  readonly #upTo: readonly number[]
  readonly #total: number
  readonly timeoutMs: number

  constructor({ servers, timeoutMs }: OriginPool) {
    let total = 0
    this.#urls = servers.map(({ url }) => url.replace(/\/$/, ''))
    this.#upTo = servers.map(({ weight }) => {
      total += weight
      return total
    })
    this.#total = total
    this.timeoutMs = timeoutMs
  }

  /** Scheme, host and port, without a slash at the end. */
  pick(coin: number): string {
    const at = coin * this.#total
    const index = this.#upTo.findIndex((upTo) => at < upTo)
    return this.#urls[index] ?? this.#urls.at(-1)!
  }
}
