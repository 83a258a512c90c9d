/** A server with this part of the others below it is hot: Q_RIF of Wydrowski et al. 2024 (Prequal), §4. */
const HOT_QUANTILE = 0.84
/** Weight of a new response time in the average. */
const NEW_WEIGHT = 0.2
/** Without answers, what is known of a server's speed fades this fast, so that it gets requests again. */
const FADE_MS = 10_000

interface Load {
  inFlight: number
  latencyMs: number
  answeredAtMs: number
}

interface Weighted {
  readonly url: string
  readonly weight: number
}

/**
 * Chooses the server with the least load, as this isolate sees it: Prequal's rule (Wydrowski et al. 2024, "Load is not
 * what you should balance"). Servers with many requests in flight are hot. Of those that are not, the fastest gets the
 * request; if all are hot, the one with the fewest requests in flight.
 */
export class ServerLoads {
  readonly #loads = new Map<string, Load>()

  begin(server: string): void {
    this.#of(server).inFlight++
  }

  /** `ms` is the response time; null: none was measured. */
  end(server: string, ms: number | null, nowMs: number): void {
    const load = this.#of(server)
    load.inFlight = Math.max(0, load.inFlight - 1)
    if (ms === null) return
    load.latencyMs =
      load.answeredAtMs === 0 ? ms : (1 - NEW_WEIGHT) * load.latencyMs + NEW_WEIGHT * ms
    load.answeredAtMs = nowMs
  }

  /** The runtime may end a request without a word. `open` is the number of requests that are really in flight. */
  correct(open: number): void {
    const counted = this.#total()
    if (counted <= open) return
    for (const load of this.#loads.values()) load.inFlight *= open / counted
  }

  /** Two draws by weight are compared; an isolate that sees much compares all servers. */
  choose(servers: readonly Weighted[], draw: () => string, nowMs: number): string {
    const compared = this.#total() >= servers.length ? servers : twoOf(servers, draw)
    const seen = compared.map(({ url, weight }) => ({
      url,
      inFlight: this.#of(url).inFlight / weight,
      latencyMs: this.#latencyMs(url, servers, nowMs),
    }))
    const hot = quantile(
      seen.map(({ inFlight }) => inFlight),
      HOT_QUANTILE,
    )
    const cold = seen.filter(({ inFlight }) => inFlight < hot || inFlight === 0)
    return cold.length > 0
      ? least(cold, ({ latencyMs, inFlight }) => latencyMs * (1 + inFlight))
      : least(seen, ({ inFlight }) => inFlight)
  }

  /** A server that was not heard of for long counts as average. */
  #latencyMs(server: string, servers: readonly Weighted[], nowMs: number): number {
    const known = servers
      .map(({ url }) => this.#of(url))
      .filter(({ answeredAtMs }) => answeredAtMs > 0)
    if (known.length === 0) return 1
    const mean = known.reduce((sum, { latencyMs }) => sum + latencyMs, 0) / known.length
    const { latencyMs, answeredAtMs } = this.#of(server)
    if (answeredAtMs === 0) return mean
    return mean + (latencyMs - mean) * 2 ** -((nowMs - answeredAtMs) / FADE_MS)
  }

  #total(): number {
    let sum = 0
    for (const { inFlight } of this.#loads.values()) sum += inFlight
    return sum
  }

  #of(server: string): Load {
    let load = this.#loads.get(server)
    if (load === undefined) {
      load = { inFlight: 0, latencyMs: 0, answeredAtMs: 0 }
      this.#loads.set(server, load)
    }
    return load
  }
}

function twoOf(servers: readonly Weighted[], draw: () => string): readonly Weighted[] {
  const [first, second] = [draw(), draw()]
  return servers.filter(({ url }) => url === first || url === second)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!
}

function least<Item extends { readonly url: string }>(
  items: readonly Item[],
  of: (item: Item) => number,
): string {
  return items.reduce((a, b) => (of(b) < of(a) ? b : a)).url
}
