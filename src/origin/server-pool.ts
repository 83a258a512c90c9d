import type { OriginPool, OriginServer } from '../config/config.ts'
import { headersToDrop } from './forwarded-headers.ts'
import { ServerCounters } from './server-counters.ts'

/** A server that is down is probed at most once in this time. */
const PROBE_EVERY_MS = 5000

/** Picks servers in proportion to their weights. It leaves out servers that are down. */
export class ServerPool {
  readonly timeoutMs: number
  /** Headers of clients that the servers do not get. */
  readonly dropped: readonly string[]
  readonly takesPurge: boolean
  /** null: there is only one server. */
  readonly counters: ServerCounters | null
  readonly #servers: readonly OriginServer[]
  #up: Wheel
  /** Servers that are down, with the time of their next probe. */
  #down = new Map<string, number>()

  constructor(origin: OriginPool) {
    const { servers, timeoutMs } = origin
    this.#servers = servers.map(({ url, weight }) => ({ url: url.replace(/\/$/, ''), weight }))
    this.#up = new Wheel(this.#servers)
    this.timeoutMs = timeoutMs
    this.dropped = headersToDrop(origin)
    this.takesPurge = origin.purge
    this.counters = servers.length > 1 ? new ServerCounters() : null
  }

  get hasDown(): boolean {
    return this.#down.size > 0
  }

  /** Scheme, host and port, without a slash at the end. */
  pick(coin: number): string {
    return this.#up.at(coin)
  }

  /** Another server for a request that did not reach this one; null: there is none. */
  pickAnother(than: string, coin: number): string | null {
    const others = this.#servers.filter(({ url }) => url !== than)
    const up = others.filter(({ url }) => !this.#down.has(url))
    if (others.length === 0) return null
    return new Wheel(up.length > 0 ? up : others).at(coin)
  }

  /** Applies the plan's list of down servers. It is ignored if it has every server: it was made for another config. */
  follow(named: readonly string[] = []): void {
    if (named.length === 0 && !this.hasDown) return
    const up = this.#servers.filter(({ url }) => !named.includes(url))
    const down = up.length > 0 ? this.#servers.filter((server) => !up.includes(server)) : []
    this.#up = new Wheel(up.length > 0 ? up : this.#servers)
    this.#down = new Map(down.map(({ url }) => [url, this.#down.get(url) ?? 0]))
  }

  /** Servers to probe now. Each is returned at most once per `PROBE_EVERY_MS`. */
  takeProbes(nowMs: number): readonly string[] {
    const due: string[] = []
    for (const [url, fromMs] of this.#down) if (nowMs >= fromMs) due.push(url)
    for (const url of due) this.#down.set(url, nowMs + PROBE_EVERY_MS)
    return due
  }
}

/** Weighted random choice: each server has an interval as wide as its weight. */
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
