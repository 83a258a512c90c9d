import type { Histogram } from '../../src/lib/histogram.ts'
import type { TiersFeedback } from '../../src/protocol/merge-reports.ts'

/** What a control sees of a site in a tick of a second. */
export interface TickCounts {
  readonly nowMs: number
  /** Sessions. */
  readonly offered: number
  readonly admitted: number
  readonly requests: number
  readonly served: number
  readonly latency: Histogram
  readonly tiers: TiersFeedback
  /** Servers that serve, by tier. */
  readonly servers: Readonly<Record<string, number>>
}

/** Decides how many servers each tier has, and which sessions come in. */
export interface Control {
  /** The servers that each tier should have; a tier that is left out keeps its own. */
  tick(seen: TickCounts): Readonly<Record<string, number>>
  admits(nowMs: number): boolean
}

/** Lets in at most this many sessions per second, with a small burst. */
export class Sentry {
  #rate = Number.POSITIVE_INFINITY
  #tokens = 3
  #atMs = 0

  hold(rate: number | null): void {
    this.#rate = rate ?? Number.POSITIVE_INFINITY
  }

  admits(nowMs: number): boolean {
    if (this.#rate === Number.POSITIVE_INFINITY) return true
    const depth = Math.max(3, this.#rate)
    this.#tokens = Math.min(depth, this.#tokens + (this.#rate * (nowMs - this.#atMs)) / 1000)
    this.#atMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
