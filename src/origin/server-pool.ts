import type { OriginPool } from '../config/config.ts'
import type { PoolServer } from '../protocol/feedback.ts'
import { headersToDrop } from './forwarded-headers.ts'
import { ServerCounters } from './server-counters.ts'
import { ServerLoads } from './server-loads.ts'
import { markOf, mayStay } from './session-home.ts'

/** A server that is down is probed at most once in this time. */
const PROBE_EVERY_MS = 5000
/** A new server starts with this part of its weight. */
const LEAST_RAMP = 0.1
/** While a server starts slowly, weights are computed again this often. */
const RAMP_STEP_MS = 500

/** What a plan says of the servers. */
export interface PoolPlan {
  readonly down?: readonly string[]
  /** Absent: the configured ones. */
  readonly servers?: readonly PoolServer[]
  /** Servers that are new or have come back, and since when. */
  readonly rising?: Readonly<Record<string, number>>
}

/** The session of a request: its id and the mark of the server that it began at. */
export interface PinnedSession {
  readonly id: string
  readonly server: string | null
}

/** Picks servers in proportion to their weights, or by their load. It leaves out servers that are down. */
export class ServerPool {
  readonly timeoutMs: number
  /** Headers of clients that the servers do not get. */
  readonly dropped: readonly string[]
  readonly takesPurge: boolean
  readonly healthCheck: OriginPool['healthCheck']
  /** Do sessions stay at the server that they began at? */
  readonly hasAffinity: boolean
  readonly #slowStartMs: number
  readonly #configured: readonly PoolServer[]
  readonly #counters = new ServerCounters()
  /** null: servers are chosen by weight alone. */
  readonly #loads: ServerLoads | null
  #servers: readonly PoolServer[]
  /** Servers that get new sessions: neither down nor being drained. */
  #open: readonly PoolServer[]
  #wheel: Wheel
  /** When its weights were computed; null: they are those of servers that have started. */
  #wheelAtMs: number | null = null
  #rising: Readonly<Record<string, number>> = {}
  /** Servers that are down, with the time of their next probe. */
  #down = new Map<string, number>()
  #nextCheckMs = 0

  constructor(origin: OriginPool) {
    const { servers, timeoutMs, balance, affinity, slowStartMs, healthCheck } = origin
    this.#configured = servers.map(({ url, weight }) => ({ url: url.replace(/\/$/, ''), weight }))
    this.#servers = this.#configured
    this.#open = this.#configured
    this.#wheel = new Wheel(this.#open)
    this.#loads = balance === 'least-loaded' ? new ServerLoads() : null
    this.#slowStartMs = slowStartMs
    this.hasAffinity = affinity
    this.healthCheck = healthCheck
    this.timeoutMs = timeoutMs
    this.dropped = headersToDrop(origin)
    this.takesPurge = origin.purge
  }

  /** null: there is only one server. */
  get counters(): ServerCounters | null {
    return this.#servers.length > 1 ? this.#counters : null
  }

  get hasDown(): boolean {
    return this.#down.size > 0
  }

  /** Scheme, host and port, without a slash at the end. */
  pick(coin: () => number, nowMs: number, session: PinnedSession | null = null): string {
    if (this.#servers.length === 1) return this.#servers[0]!.url
    const home = session === null ? null : this.#homeOf(session, nowMs)
    if (home !== null) return home
    const wheel = this.#wheelAt(nowMs)
    const draw = (): string => wheel.at(coin())
    return this.#loads === null ? draw() : this.#loads.choose(wheel.servers, draw, nowMs)
  }

  /** Another server for a request that did not reach this one; null: there is none. */
  pickAnother(than: string, coin: number): string | null {
    const others = this.#servers.filter(({ url }) => url !== than)
    const up = others.filter(({ url }) => !this.#down.has(url))
    if (others.length === 0) return null
    return new Wheel(up.length > 0 ? up : others).at(coin)
  }

  begin(server: string): void {
    this.#loads?.begin(server)
  }

  /** `ms`: until the headers; null: there was no answer, or it says nothing about the server. */
  end(server: string, ms: number | null, nowMs: number): void {
    this.#loads?.end(server, ms, nowMs)
  }

  /** Takes a plan's servers into force. `open`: requests of this isolate that are really in flight. */
  follow({ down: named = [], servers = this.#configured, rising = {} }: PoolPlan, open = 0): void {
    this.#loads?.correct(open)
    this.#rising = rising
    const isChanged =
      servers !== this.#servers && JSON.stringify(servers) !== JSON.stringify(this.#servers)
    if (isChanged) this.#servers = servers
    const isSteady = Object.keys(rising).length === 0 && named.length === 0 && !this.hasDown
    if (isSteady && !isChanged) return
    // A list that has every server was made for another configuration.
    const up = this.#servers.filter(({ url }) => !named.includes(url))
    const down = up.length > 0 ? this.#servers.filter((server) => !up.includes(server)) : []
    const alive = up.length > 0 ? up : this.#servers
    const staying = alive.filter(({ drain }) => drain === undefined)
    this.#open = staying.length > 0 ? staying : alive
    this.#wheelAtMs = null
    this.#wheel = new Wheel(this.#open)
    this.#down = new Map(down.map(({ url }) => [url, this.#down.get(url) ?? 0]))
  }

  /** Servers to probe now: those that are down, and all that are due for a check by configuration. */
  takeProbes(nowMs: number, share = 1): readonly string[] {
    const due = new Set<string>()
    for (const [url, fromMs] of this.#down) if (nowMs >= fromMs) due.add(url)
    for (const url of due) this.#down.set(url, nowMs + PROBE_EVERY_MS)
    const { healthCheck } = this
    if (healthCheck !== null && this.#servers.length > 1 && nowMs >= this.#nextCheckMs) {
      // All isolates together check once in `everyMs`: one with a small share checks rarely.
      this.#nextCheckMs = nowMs + healthCheck.everyMs / Math.max(share, 0.01)
      for (const { url } of this.#servers) due.add(url)
    }
    return [...due]
  }

  #homeOf({ id, server }: PinnedSession, nowMs: number): string | null {
    if (server === null || !this.hasAffinity) return null
    const home = this.#servers.find(({ url }) => markOf(url) === server)
    if (home === undefined || this.#down.has(home.url)) return null
    return home.drain === undefined || mayStay(home.drain, id, nowMs) ? home.url : null
  }

  /** The wheel with the weights of servers that start slowly: from a tenth up to all of it. */
  #wheelAt(nowMs: number): Wheel {
    const isRamping = this.#open.some(({ url }) => this.#rampOf(url, nowMs) < 1)
    const atMs = this.#wheelAtMs
    if (atMs === null ? !isRamping : nowMs - atMs < RAMP_STEP_MS) return this.#wheel
    this.#wheel = new Wheel(
      this.#open.map(({ url, weight }) => ({ url, weight: weight * this.#rampOf(url, nowMs) })),
    )
    this.#wheelAtMs = isRamping ? nowMs : null
    return this.#wheel
  }

  #rampOf(url: string, nowMs: number): number {
    const sinceMs = this.#rising[url]
    if (sinceMs === undefined || this.#slowStartMs === 0) return 1
    return Math.min(1, Math.max(LEAST_RAMP, (nowMs - sinceMs) / this.#slowStartMs))
  }
}

interface Weighted {
  readonly url: string
  readonly weight: number
}

/** Weighted random choice: each server has an interval as wide as its weight. */
class Wheel {
  readonly servers: readonly Weighted[]
  readonly #upTo: readonly number[]
  readonly #total: number

  constructor(servers: readonly Weighted[]) {
    let total = 0
    this.servers = servers
    this.#upTo = servers.map(({ weight }) => {
      total += weight
      return total
    })
    this.#total = total
  }

  at(coin: number): string {
    const at = coin * this.#total
    const index = this.#upTo.findIndex((upTo) => at < upTo)
    return (this.servers[index] ?? this.servers.at(-1)!).url
  }
}
