import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'
import type { ServerUse } from './server-timing.ts'

/** One answer of the origin, and what was known of the server meanwhile. */
export interface Served {
  readonly route: string
  readonly path: string
  readonly responseMs: number
  /** From `Server-Timing`; null: the origin does not send it. */
  readonly use: ServerUse | null
  /** η: other requests in service at the same server, on average. */
  readonly inFlight: number
}

export interface ServiceTimesOptions {
  /** Paths remembered at the most. @default 1024 */
  readonly capacity?: number
  /** Weight of the newest request in a path's averages. Range: above 0 to 1. @default 0.1 */
  readonly weight?: number
}

/** Below this a request has the server nearly to itself: its response time is its service time. */
export const QUIET_BELOW = 0.25
/** After this many poorer samples in a row a better one is out of date. */
const OUTDATED_AFTER = 50
/** α starts at 1, as firm as one request with 100 ms of data. */
const ALPHA_PRIOR_MS2 = 100 ** 2
const ALPHA_WEIGHT = 0.01
const LARGEST_ALPHA = 10

/** How a path's use is known, poorest first. */
const SOURCES = ['guess', 'quiet', 'use'] as const
type Source = (typeof SOURCES)[number]

interface Use {
  readonly source: Source
  /** Where the origin does not tell the parts, all is here. */
  readonly cpuMs: number
  readonly dataMs: number
  readonly poorer: number
}

/**
 * Inherent service times by route and path, learned online (Cataclysm §3.5):
 *
 *     S = R_cpu + α R_data      (2)
 *
 * with the parts from `Server-Timing` where the origin sends it, else from response times at low
 * load, else, until there is any, from response times divided by the load, as (3) multiplies them.
 */
export class ServiceTimes {
  readonly #weight: number
  readonly #paths: ScanResistantCache<Use>
  readonly #routeMs = new Map<string, number>()
  // α minimises Σ (response − cpu − α data)² over requests at low load: Σ data (response − cpu) / Σ
  // data².
  #products = ALPHA_PRIOR_MS2
  #squares = ALPHA_PRIOR_MS2

  constructor({ capacity = 1024, weight = 0.1 }: ServiceTimesOptions = {}) {
    this.#weight = weight
    this.#paths = new ScanResistantCache(capacity)
  }

  get alpha(): number {
    return Math.min(LARGEST_ALPHA, Math.max(0, this.#products / this.#squares))
  }

  /** How many paths are remembered. */
  get size(): number {
    return this.#paths.size
  }

  /** A path not seen before is as its route's others; null: nothing is known of the route. */
  estimateMs(route: string, path: string): number | null {
    const use = this.#paths.get(keyOf(route, path))
    return use ? this.#inherentMs(use) : (this.#routeMs.get(route) ?? null)
  }

  /** As measured at low load, or as the origin says; null: it is only guessed, or not known. */
  measuredMs(route: string, path: string): number | null {
    const use = this.#paths.get(keyOf(route, path))
    return use && use.source !== 'guess' ? this.#inherentMs(use) : null
  }

  observe(served: Served): void {
    const { route, responseMs, use, inFlight } = served
    if (!(responseMs >= 0 && responseMs < Number.POSITIVE_INFINITY)) return
    const isQuiet = inFlight < QUIET_BELOW
    if (isQuiet && use?.cpuMs != null) this.#fitAlpha(responseMs - use.cpuMs, use.dataMs)
    const sample = sampleOf(served, isQuiet)
    const key = keyOf(route, served.path)
    const known = this.#paths.get(key)
    const next = known ? this.#blend(known, sample, responseMs) : sample
    this.#paths.set(key, next)
    const routeMs = this.#routeMs.get(route)
    const inherentMs = this.#inherentMs(next)
    this.#routeMs.set(route, routeMs === undefined ? inherentMs : this.#mix(routeMs, inherentMs))
  }

  #inherentMs({ cpuMs, dataMs }: Use): number {
    return cpuMs + this.alpha * dataMs
  }

  #fitAlpha(restMs: number, dataMs: number): void {
    if (!(dataMs > 0)) return
    this.#products += ALPHA_WEIGHT * (dataMs * Math.max(0, restMs) - this.#products)
    this.#squares += ALPHA_WEIGHT * (dataMs * dataMs - this.#squares)
  }

  /** The better source wins; equal ones are averaged with exponential decay. */
  #blend(known: Use, sample: Use, responseMs: number): Use {
    const better = SOURCES.indexOf(sample.source) - SOURCES.indexOf(known.source)
    if (better > 0 || known.poorer >= OUTDATED_AFTER) return sample
    if (better === 0)
      return {
        source: known.source,
        cpuMs: this.#mix(known.cpuMs, sample.cpuMs),
        dataMs: this.#mix(known.dataMs, sample.dataMs),
        poorer: 0,
      }
    // However busy the server was, nothing takes longer inherently than it took.
    if (known.source === 'quiet' && responseMs < known.cpuMs)
      return { ...known, cpuMs: this.#mix(known.cpuMs, responseMs) }
    // At a busy server good samples are rare, and the old one is still the best; without
    // Server-Timing where there was one before, it is the origin that has changed.
    return { ...known, poorer: known.source === 'use' ? known.poorer + 1 : 0 }
  }

  #mix(old: number, sample: number): number {
    return old + this.#weight * (sample - old)
  }
}

function sampleOf({ use, responseMs, inFlight }: Served, isQuiet: boolean): Use {
  if (use?.cpuMs != null) return { source: 'use', cpuMs: use.cpuMs, dataMs: use.dataMs, poorer: 0 }
  if (isQuiet) return { source: 'quiet', cpuMs: responseMs, dataMs: 0, poorer: 0 }
  const others = inFlight > 0 ? inFlight : 0
  return { source: 'guess', cpuMs: responseMs / (1 + others), dataMs: 0, poorer: 0 }
}

const LONGEST_PATH = 200

/** Arguments are dropped: those behind the path, and segments that are plainly numbers or ids. */
export function keyOf(route: string, path: string): string {
  const end = path.search(/[?#;]/)
  const bare = path.slice(0, Math.min(end < 0 ? path.length : end, LONGEST_PATH))
  return `${route} ${bare.replace(/(?<=\/)(?:\d+|[\da-f-]{16,})(?=\/|$)/gi, '*')}`
}
