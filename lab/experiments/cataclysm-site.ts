import { InFlightSizes } from '../../src/measure/in-flight-sizes.ts'
import { type Arrivals, poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { runWithPromises } from '../edge/timers.ts'
import { type Actor, Agenda } from '../engine/agenda.ts'
import { around, type Distribution } from '../engine/distributions.ts'
import { type Random, streams } from '../engine/random.ts'
import { Requests } from '../engine/requests.ts'
import type { Origin, OriginListener } from '../origins/origin.ts'
import { sharing } from '../origins/sharing.ts'

/** Most valuable first. */
export const CLASSES = ['gold', 'silver', 'bronze'] as const
export const SERVERS = 3
/** Requests per second that one server takes within the target, measured offline in §6.2. */
export const SERVER_RATE = 60
export const TARGET_MS = 1000
/** Response times are judged over stretches of this length. */
export const STRETCH_S = 5

/** Requests per second of each class, by the second at which they start. */
export type Surges = Readonly<
  Record<number, readonly [gold: number, silver: number, bronze: number]>
>

/** A request at the sentry, before or after its verdict. */
export interface SiteRequest {
  readonly rank: number
  readonly serviceMs: number
  readonly atMs: number
}

/** What a policer sees of the site and may do. */
export interface Site {
  /** Simulated time, for a policer that waits by timers of its own. */
  readonly agenda: Agenda
  admit(request: SiteRequest): void
  /** Calls the policer's `wake` at this time. */
  wakeAt(atMs: number): void
  /** Requests in flight per server. */
  readonly inFlightEach: number
  /** Service time of the longest request in flight. */
  readonly longestMs: number
}

export interface Policer {
  arrive(request: SiteRequest, nowMs: number): void
  wake(nowMs: number): void
  /** The origin has answered an admitted request. */
  answered?(request: SiteRequest, nowMs: number): void
  /** Decisions that took more than a comparison. */
  readonly tests: number
}

interface SiteOptions {
  readonly surges: Surges
  readonly seconds: number
  /** Mean service time. All scripts cost nearly the same. */
  readonly serviceMs: number
  readonly policer: (site: Site) => Policer
  readonly seed: number
}

const ARRIVAL = 0
const WAKE = 1

/**
 * The three Apache servers of §6.2 (Urgaonkar and Shenoy 2005) behind a sentry. The sentry may delay a
 * request before it decides.
 */
class PolicedSite implements Site, Actor, OriginListener {
  readonly agenda = new Agenda()
  readonly log: SiteLog
  readonly policer: Policer
  readonly #requests = new Requests()
  readonly #origin: Origin
  readonly #inFlight = new InFlightSizes()
  readonly #actor: number
  readonly #arrivals: readonly Arrivals[]
  readonly #sizes: readonly Random[]
  readonly #service: Distribution
  readonly #admitted: (SiteRequest | undefined)[] = []

  constructor({ surges, seconds, serviceMs, policer, seed }: SiteOptions) {
    const random = streams(seed)
    const { agenda } = this
    this.log = new SiteLog(seconds)
    this.#service = around({ mean: serviceMs, spread: 0.03 })
    this.#origin = sharing({ servers: SERVERS })({ agenda, requests: this.#requests, random }, this)
    this.#actor = agenda.register(this)
    this.#arrivals = CLASSES.map((name, rank) => {
      const rates = Object.entries(surges).map(([fromS, each]) => [fromS, each[rank]!] as const)
      return poisson(steps(Object.fromEntries(rates)))((purpose) => random(`${name} ${purpose}`))
    })
    this.#sizes = CLASSES.map((name) => random(`${name} sizes`))
    this.policer = policer(this)
    for (const rank of CLASSES.keys()) this.#scheduleArrival(rank)
  }

  get inFlightEach(): number {
    return this.#inFlight.size / SERVERS
  }

  get longestMs(): number {
    return this.#inFlight.longestMs
  }

  wakeAt(atMs: number): void {
    this.agenda.schedule(atMs, this.#actor, WAKE, 0)
  }

  admit(request: SiteRequest): void {
    this.log.admitted(request)
    this.#inFlight.enter(request.serviceMs)
    const { rank, serviceMs: demandMs } = request
    const opening = { demandMs, visitor: 0, tier: 0, class: rank, luck: 0 }
    const id = this.#requests.open(this.agenda.nowMs, opening)
    this.#admitted[id] = request
    this.#origin.submit(id)
  }

  finished(id: number): void {
    const { nowMs } = this.agenda
    const request = this.#admitted[id]!
    this.#inFlight.leave(request.serviceMs)
    this.#requests.close(id)
    this.log.answered(request, nowMs)
    this.policer.answered?.(request, nowMs)
  }

  handle(kind: number, rank: number): void {
    const { nowMs } = this.agenda
    if (kind === WAKE) {
      this.policer.wake(nowMs)
      return
    }
    this.#scheduleArrival(rank)
    const request = { rank, serviceMs: this.#service.draw(this.#sizes[rank]!), atMs: nowMs }
    this.log.offered(request)
    this.policer.arrive(request, nowMs)
  }

  #scheduleArrival(rank: number): void {
    const nextMs = this.#arrivals[rank]!.nextMs()
    if (nextMs < Number.POSITIVE_INFINITY) this.agenda.schedule(nextMs, this.#actor, ARRIVAL, rank)
  }
}

/** Counts by class and second of arrival. */
export class SiteLog {
  readonly #seconds: number
  readonly #offered: readonly Int32Array[]
  readonly #admitted: readonly Int32Array[]
  readonly #responsesMs: readonly number[][]

  constructor(seconds: number) {
    this.#seconds = seconds
    this.#offered = CLASSES.map(() => new Int32Array(seconds + 1))
    this.#admitted = CLASSES.map(() => new Int32Array(seconds + 1))
    this.#responsesMs = Array.from({ length: seconds + 1 }, () => [])
  }

  offered({ rank, atMs }: SiteRequest): void {
    this.#offered[rank]![Math.floor(atMs / 1000)]!++
  }

  admitted({ rank, atMs }: SiteRequest): void {
    this.#admitted[rank]![Math.floor(atMs / 1000)]!++
  }

  /** The response time runs from arrival to the last byte, with the sentry's delay. */
  answered({ atMs }: SiteRequest, nowMs: number): void {
    this.#responsesMs[Math.floor(atMs / 1000)]!.push(nowMs - atMs)
  }

  get requests(): number {
    return this.#offered.reduce((total, counts) => total + sum(counts, 0, this.#seconds), 0)
  }

  /** Share of a class's requests in [fromS, toS) that was admitted. */
  part(rank: number, fromS: number, toS: number): number {
    return (
      sum(this.#admitted[rank]!, fromS, toS) / Math.max(1, sum(this.#offered[rank]!, fromS, toS))
    )
  }

  /** Admitted requests per second. */
  rate(rank: number, fromS: number, toS: number): number {
    return sum(this.#admitted[rank]!, fromS, toS) / (toS - fromS)
  }

  p95Ms(fromS: number, toS: number): number {
    const sorted = this.#responsesMs
      .slice(fromS, toS)
      .flat()
      .sort((a, b) => a - b)
    return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
  }

  /** Start of each stretch of `STRETCH_S` seconds, in seconds. */
  stretches(): readonly number[] {
    return Array.from({ length: this.#seconds / STRETCH_S }, (_, i) => STRETCH_S * i)
  }

  /** The stretches with a 95th percentile over the target. */
  slowStretches(): readonly number[] {
    return this.stretches().filter((fromS) => this.p95Ms(fromS, fromS + STRETCH_S) > TARGET_MS)
  }
}

function sum(counts: Int32Array, fromS: number, toS: number): number {
  return counts.subarray(fromS, toS).reduce((total, count) => total + count, 0)
}

export function runSite(options: SiteOptions): { readonly log: SiteLog; readonly tests: number } {
  const site = new PolicedSite(options)
  site.agenda.runUntil(options.seconds * 1000)
  return { log: site.log, tests: site.policer.tests }
}

/** The same for a policer that waits by promises. */
export async function runSiteAsync(options: SiteOptions): Promise<SiteLog> {
  const site = new PolicedSite(options)
  await runWithPromises(site.agenda, options.seconds * 1000)
  return site.log
}
