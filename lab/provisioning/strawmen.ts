import { type Histogram, mergeHistograms, quantileMs } from '../../src/lib/histogram.ts'
import type { Control, TickCounts } from './control.ts'

/** The strawmen of Urgaonkar et al. 2008, §1.2. They let every session in. */

interface Limits {
  /** All servers that there are. */
  readonly available: number
  readonly everyS: number
}

const total = (servers: Readonly<Record<string, number>>): number =>
  Object.values(servers).reduce((sum, n) => sum + n, 0)

/** A tier is saturated when its servers are busy more than this part of the time. */
const SATURATED = 0.9

/**
 * Independent per-tier provisioning (Example 1): each tier looks at its own servers, and gets one more when they are
 * saturated. `only`: just these tiers do so (Fig. 8).
 */
export class TierByTier implements Control {
  readonly #limits: Limits
  readonly #only: readonly string[] | null
  #busyMs: Record<string, number> = {}
  #serversS: Record<string, number> = {}
  #sinceMs = 0

  constructor(limits: Limits, only: readonly string[] | null = null) {
    this.#limits = limits
    this.#only = only
  }

  tick({ nowMs, tiers, servers }: TickCounts): Readonly<Record<string, number>> {
    for (const [name, { us }] of Object.entries(tiers)) {
      this.#busyMs[name] = (this.#busyMs[name] ?? 0) + us / 1000
      this.#serversS[name] = (this.#serversS[name] ?? 0) + servers[name]!
    }
    if (nowMs - this.#sinceMs < this.#limits.everyS * 1000) return {}
    const wanted = Object.keys(tiers)
      .filter((name) => this.#only === null || this.#only.includes(name))
      .filter((name) => this.#busyMs[name]! > SATURATED * 1000 * this.#serversS[name]!)
    this.#busyMs = {}
    this.#serversS = {}
    this.#sinceMs = nowMs
    if (total(servers) + wanted.length > this.#limits.available) return {}
    return Object.fromEntries(wanted.map((name) => [name, servers[name]! + 1]))
  }

  admits(): boolean {
    return true
  }
}

/** The black box (Example 2): more servers in the tiers that can grow, whenever the response time is over the target. */
export class BlackBox implements Control {
  readonly #limits: Limits
  readonly #targetMs: number
  readonly #adds: Readonly<Record<string, number>>
  #latency: Histogram = []
  #sinceMs = 0

  constructor(limits: Limits, targetMs: number, adds: Readonly<Record<string, number>>) {
    this.#limits = limits
    this.#targetMs = targetMs
    this.#adds = adds
  }

  tick({ nowMs, latency, servers }: TickCounts): Readonly<Record<string, number>> {
    this.#latency = mergeHistograms(this.#latency, latency)
    if (nowMs - this.#sinceMs < this.#limits.everyS * 1000) return {}
    const p95Ms = quantileMs(this.#latency, 0.95) ?? 0
    this.#latency = []
    this.#sinceMs = nowMs
    if (p95Ms <= this.#targetMs) return {}
    if (total(servers) + total(this.#adds) > this.#limits.available) return {}
    return Object.fromEntries(
      Object.entries(this.#adds).map(([name, more]) => [name, servers[name]! + more]),
    )
  }

  admits(): boolean {
    return true
  }
}
