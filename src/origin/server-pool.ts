import type { OriginPool, OriginServer } from '../config/config.ts'
import { ServerCounters } from './server-counters.ts'

/** A server that is down is asked at most once in this time whether it is back. */
const PROBE_EVERY_MS = 5000

/** Picks servers in proportion to their weights, and leaves out those that are down. */
export class ServerPool {
  readonly timeoutMs: number
  /** null: there is one server, and nothing to choose between. */
  readonly tally: ServerCounters | null
  readonly #servers: readonly OriginServer[]
  #up: Wheel
  /** When each of those that are down may be asked next. */
  #down = new Map<string, number>()

  constructor({ servers, timeoutMs }: OriginPool) {
    this.#servers = servers.map(({ url, weight }) => ({ url: url.replace(/\/$/, ''), weight }))
    this.#up = new Wheel(this.#servers)
    this.timeoutMs = timeoutMs
    this.tally = servers.length > 1 ? new ServerCounters() : null
  }

  get hasDown(): boolean {
    return this.#down.size > 0
  }

  /** Scheme, host and port, without a slash at the end. */
  pick(coin: number): string {
    return this.#up.at(coin)
  }

  /** Where else to send what did not reach this server; null: there is no other. */
  pickAnother(than: string, coin: number): string | null {
    const others = this.#servers.filter(({ url }) => url !== than)
    const up = others.filter(({ url }) => !this.#down.has(url))
    if (others.length === 0) return null
    return new Wheel(up.length > 0 ? up : others).at(coin)
  }

  /** Who is down, as the plan says. One that leaves nobody is for another pool than this. */
  follow(named: readonly string[] = []): void {
    if (named.length === 0 && !this.hasDown) return
    const up = this.#servers.filter(({ url }) => !named.includes(url))
    const down = up.length > 0 ? this.#servers.filter((server) => !up.includes(server)) : []
    this.#up = new Wheel(up.length > 0 ? up : this.#servers)
    this.#down = new Map(down.map(({ url }) => [url, this.#down.get(url) ?? 0]))
  }

  /** Those that are down and may be asked now: not again for a while. */
  takeProbes(nowMs: number): readonly string[] {
    const due: string[] = []
    for (const [url, fromMs] of this.#down) if (nowMs >= fromMs) due.push(url)
    for (const url of due) this.#down.set(url, nowMs + PROBE_EVERY_MS)
    return due
  }
}

/** Servers side by side, each as wide as its weight. */
class Wheel {
  readonly #urls: readonly string[]
  readonly #upTo: readonly number[]
  readonly #total: number

  constructor(servers: readonly OriginServer[]) {
    let total = 0
    this.#urls = servers.map(({ url }) => url)
    this.#upTo = servers.map(({ weight }) => {
      total += weight
      return total
    })
    this.#total = total
  }

  at(coin: number): string {
    if (this.#urls.length === 1) return this.#urls[0]!
    const at = coin * this.#total
    const index = this.#upTo.findIndex((upTo) => at < upTo)
    return this.#urls[index] ?? this.#urls.at(-1)!
  }
}
