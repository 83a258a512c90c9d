import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../../src/lib/histogram.ts'
import type { Arrivals, ArrivalsFactory } from '../clients/arrivals.ts'
import type { Actor, Agenda } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import { type Random, streams } from '../engine/random.ts'
import { Requests } from '../engine/requests.ts'
import { Station } from '../origins/station.ts'
import type { Control, TickCounts } from './control.ts'

export interface HostedTier {
  readonly name: string
  readonly servers: number
  readonly service: Distribution
}

export interface HostedSiteOptions {
  readonly tiers: readonly HostedTier[]
  /** Of sessions. */
  readonly arrivals: ArrivalsFactory
  /** Mean number of requests in a session; geometric. */
  readonly sessionRequests: number
  /** Mean think time; exponential. */
  readonly thinkMs: number
  /** How long a new server takes until it serves. */
  readonly startupMs: number
  readonly control: Control
  readonly seed: number
  readonly name?: string
}

const ARRIVAL = 0
const ASK = 1
const TICK = 2
const READY = 3
const TICK_MS = 1000

/**
 * An application on a hosting platform (Urgaonkar et al. 2008, §2): sessions pass a sentry and ask tier after tier. A
 * control decides how many servers each tier has. It counts what the product would measure.
 */
export class HostedSite implements Actor {
  readonly log: SiteTick[] = []
  readonly #options: HostedSiteOptions
  readonly #agenda: Agenda
  readonly #requests = new Requests()
  readonly #actor: number
  readonly #stations: readonly Station[]
  readonly #service: readonly Random[]
  readonly #arrivals: Arrivals
  readonly #visitors: Random
  readonly #enteredMs: number[] = []
  readonly #servers: Map<string, number>
  readonly #starting: Map<string, number>
  #visitor = 0
  #counts: Counting

  constructor(agenda: Agenda, options: HostedSiteOptions) {
    const random = streams(options.seed)
    const { name = '' } = options
    this.#agenda = agenda
    this.#options = options
    this.#actor = agenda.register(this)
    const world = { agenda, requests: this.#requests, random }
    this.#stations = options.tiers.map(
      ({ servers }, tier) =>
        new Station(world, { finished: (id) => this.#left(id, tier) }, { servers }),
    )
    this.#service = options.tiers.map((tier) => random(`${name} ${tier.name}`))
    this.#visitors = random(`${name} visitors`)
    this.#arrivals = options.arrivals((purpose) => random(`${name} ${purpose}`))
    this.#servers = new Map(options.tiers.map((tier) => [tier.name, tier.servers]))
    this.#starting = new Map(options.tiers.map((tier) => [tier.name, 0]))
    this.#counts = new Counting(options.tiers.length)
    this.#scheduleArrival()
    agenda.schedule(TICK_MS, this.#actor, TICK, 0)
  }

  handle(kind: number, subject: number): void {
    if (kind === ARRIVAL) this.#arrive()
    else if (kind === ASK) this.#ask(subject)
    else if (kind === READY) this.#ready(subject)
    else this.#tick()
  }

  #arrive(): void {
    this.#scheduleArrival()
    this.#counts.offered++
    if (!this.#options.control.admits(this.#agenda.nowMs)) return
    this.#counts.admitted++
    this.#ask(this.#visitor++)
  }

  #ask(visitor: number): void {
    const id = this.#requests.open(this.#agenda.nowMs, {
      ...{ demandMs: 0, visitor, tier: 0, class: 0, luck: 0 },
    })
    this.#counts.requests++
    this.#enter(id, 0)
  }

  #enter(id: number, tier: number): void {
    this.#requests.demandMs[id] = this.#options.tiers[tier]!.service.draw(this.#service[tier]!)
    this.#enteredMs[id] = this.#agenda.nowMs
    this.#stations[tier]!.submit(id)
  }

  #left(id: number, tier: number): void {
    const { nowMs } = this.#agenda
    // The tier reports its service time, as the paper's modified Apache and Tomcat do.
    this.#counts.visit(tier, this.#requests.demandMs[id]!)
    if (tier + 1 < this.#stations.length) {
      this.#enter(id, tier + 1)
      return
    }
    this.#counts.responses.push(nowMs - this.#requests.sentMs[id]!)
    const visitor = this.#requests.visitor[id]!
    this.#requests.close(id)
    const { sessionRequests, thinkMs } = this.#options
    if (this.#visitors.next() < 1 / sessionRequests) return
    const pauseMs = -thinkMs * Math.log(1 - this.#visitors.next())
    this.#agenda.schedule(nowMs + pauseMs, this.#actor, ASK, visitor)
  }

  #tick(): void {
    const { nowMs } = this.#agenda
    const { control, tiers } = this.#options
    const counts = this.#counts
    this.#counts = new Counting(tiers.length)
    const seen: TickCounts = {
      nowMs,
      ...counts.totals(tiers.map(({ name }) => name)),
      servers: Object.fromEntries(this.#servers),
    }
    this.log.push({ ...seen, responses: counts.responses })
    this.#follow(control.tick(seen))
    this.#agenda.schedule(nowMs + TICK_MS, this.#actor, TICK, 0)
  }

  /** New servers take their time to start. Others leave when they have finished their request. */
  #follow(desired: Readonly<Record<string, number>>): void {
    for (const [i, { name }] of this.#options.tiers.entries()) {
      const wanted = desired[name] ?? this.#servers.get(name)!
      const current = this.#servers.get(name)!
      const coming = current + this.#starting.get(name)!
      for (let n = coming; n < wanted; n++) {
        this.#starting.set(name, this.#starting.get(name)! + 1)
        const atMs = this.#agenda.nowMs + this.#options.startupMs
        this.#agenda.schedule(atMs, this.#actor, READY, i)
      }
      if (wanted < current && this.#starting.get(name) === 0) this.#resize(i, wanted)
    }
  }

  #ready(tier: number): void {
    const { name } = this.#options.tiers[tier]!
    this.#starting.set(name, this.#starting.get(name)! - 1)
    this.#resize(tier, this.#servers.get(name)! + 1)
  }

  #resize(tier: number, servers: number): void {
    this.#servers.set(this.#options.tiers[tier]!.name, servers)
    this.#stations[tier]!.change({ servers })
  }

  #scheduleArrival(): void {
    const nextMs = this.#arrivals.nextMs()
    if (nextMs < Number.POSITIVE_INFINITY) this.#agenda.schedule(nextMs, this.#actor, ARRIVAL, 0)
  }
}

export interface SiteTick extends TickCounts {
  readonly responses: readonly number[]
}

/** Counts of one tick. */
class Counting {
  offered = 0
  admitted = 0
  requests = 0
  readonly responses: number[] = []
  readonly #tiers: readonly { visits: number; ms: number; times: Uint32Array }[]

  constructor(tiers: number) {
    this.#tiers = Array.from({ length: tiers }, () => ({
      ...{ visits: 0, ms: 0 },
      times: new Uint32Array(HISTOGRAM_BUCKETS),
    }))
  }

  visit(tier: number, ms: number): void {
    const counts = this.#tiers[tier]!
    counts.visits++
    counts.ms += ms
    counts.times[bucketOf(ms)]! += 1
  }

  totals(names: readonly string[]) {
    const { offered, admitted, requests, responses } = this
    const latency = new Uint32Array(HISTOGRAM_BUCKETS)
    for (const ms of responses) latency[bucketOf(ms)]! += 1
    const tiers = this.#tiers.map(({ visits, ms, times }, i) => [
      names[i]!,
      {
        ...{ answers: responses.length, visits, us: Math.round(1000 * ms) },
        ...{ times: toHistogram(times), loads: 0, loadUs: 0 },
      },
    ])
    const served = responses.length
    return {
      ...{ offered, admitted, requests, served },
      latency: toHistogram(latency),
      tiers: Object.fromEntries(tiers),
    }
  }
}
