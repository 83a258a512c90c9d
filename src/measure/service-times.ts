import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'
import type { ServerUse } from './server-timing.ts'

/** One response of the origin, and the load of the server at that time. */
export interface Served {
  readonly route: string
  readonly path: string
  readonly responseMs: number
  /** From the header `Server-Timing`; null: the origin does not send it. */
  readonly use: ServerUse | null
  /** η: other requests at the same server, on average. */
  readonly inFlight: number
}

/** Weight of the newest request in the averages of a path. */
const WEIGHT = 0.1
/** Below this η a request is nearly alone at its server, so its response time is its service time. */
export const QUIET_BELOW = 0.25
/** After this many samples in a row from poorer sources, the figure from the better source is out of date. */
const OUTDATED_AFTER = 50
/** α starts at 1, with the weight of one request with 100 ms of data time. */
const ALPHA_PRIOR_MS2 = 100 ** 2
const ALPHA_WEIGHT = 0.01
const LARGEST_ALPHA = 10

/** Where the figures of a path come from, poorest first. */
const SOURCES = ['busy', 'quiet', 'header'] as const
type Source = (typeof SOURCES)[number]

interface PathTimes {
  readonly source: Source
  /** The whole service time, if the origin does not send `Server-Timing`. */
  readonly cpuMs: number
  readonly dataMs: number
  /** Samples from poorer sources since the last one from this source. */
  readonly poorerSamples: number
}

/**
 * Inherent service times by route and path, learned online (Urgaonkar and Shenoy 2005, §3.5):
 *
 *     S = R_cpu + α R_data      (2)
 *
 * Both parts come from `Server-Timing` if the origin sends it, otherwise from response times at low load. Until
 * there is such a response, response times are divided by the load, because equation 3 multiplies by it.
 */
export class ServiceTimes {
  readonly #paths: ScanResistantCache<PathTimes>
  readonly #routeMs = new Map<string, number>()
  // α = Σ data (response − cpu) / Σ data², which minimises Σ (response − cpu − α data)² over requests at low load.
  #products = ALPHA_PRIOR_MS2
  #squares = ALPHA_PRIOR_MS2

  /** Keeps the times of at most `capacity` paths. */
  constructor(capacity = 1024) {
    this.#paths = new ScanResistantCache(capacity)
  }

  get alpha(): number {
    return Math.min(LARGEST_ALPHA, Math.max(0, this.#products / this.#squares))
  }

  /** For an unknown path, the mean of its route; null: the route is unknown too. */
  estimateMs(route: string, path: string): number | null {
    const known = this.#paths.get(keyOf(route, path))
    return known ? this.#inherentMs(known) : (this.#routeMs.get(route) ?? null)
  }

  /** Measured at low load, or sent by the origin; null: there is no such figure. */
  measuredMs(route: string, path: string): number | null {
    const known = this.#paths.get(keyOf(route, path))
    return known && known.source !== 'busy' ? this.#inherentMs(known) : null
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

  #inherentMs({ cpuMs, dataMs }: PathTimes): number {
    return cpuMs + this.alpha * dataMs
  }

  #fitAlpha(restMs: number, dataMs: number): void {
    if (!(dataMs > 0)) return
    this.#products += ALPHA_WEIGHT * (dataMs * Math.max(0, restMs) - this.#products)
    this.#squares += ALPHA_WEIGHT * (dataMs * dataMs - this.#squares)
  }

  /** A better source replaces what is known. Samples of the same source are averaged with exponential decay. */
  #blend(known: PathTimes, sample: PathTimes, responseMs: number): PathTimes {
    const better = SOURCES.indexOf(sample.source) - SOURCES.indexOf(known.source)
    if (better > 0 || known.poorerSamples >= OUTDATED_AFTER) return sample
    if (better === 0)
      return {
        source: known.source,
        cpuMs: this.#mix(known.cpuMs, sample.cpuMs),
        dataMs: this.#mix(known.dataMs, sample.dataMs),
        poorerSamples: 0,
      }
    // A response time is an upper bound of the service time, however busy the server is.
    if (known.source === 'quiet' && responseMs < known.cpuMs)
      return { ...known, cpuMs: this.#mix(known.cpuMs, responseMs) }
    // Responses at low load are rare at a busy server, so the old figure stays. But an origin that stops sending
    // `Server-Timing` has changed, so its old figures are dropped after a while.
    return { ...known, poorerSamples: known.source === 'header' ? known.poorerSamples + 1 : 0 }
  }

  #mix(old: number, sample: number): number {
    return old + WEIGHT * (sample - old)
  }
}

function sampleOf({ use, responseMs, inFlight }: Served, isQuiet: boolean): PathTimes {
  if (use?.cpuMs != null)
    return { source: 'header', cpuMs: use.cpuMs, dataMs: use.dataMs, poorerSamples: 0 }
  if (isQuiet) return { source: 'quiet', cpuMs: responseMs, dataMs: 0, poorerSamples: 0 }
  const others = inFlight > 0 ? inFlight : 0
  return { source: 'busy', cpuMs: responseMs / (1 + others), dataMs: 0, poorerSamples: 0 }
}

const LONGEST_PATH = 200

/** Without query and parameters, and with `*` for segments that are numbers or ids. */
export function keyOf(route: string, path: string): string {
  const end = path.search(/[?#;]/)
  const bare = path.slice(0, Math.min(end < 0 ? path.length : end, LONGEST_PATH))
  return `${route} ${bare.replace(/(?<=\/)(?:\d+|[\da-f-]{16,})(?=\/|$)/gi, '*')}`
}
