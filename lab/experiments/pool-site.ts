import type { OriginPool } from '../../src/config/config.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { type PoolPlan, ServerPool } from '../../src/origin/server-pool.ts'
import { markOf } from '../../src/origin/session-home.ts'
import { type Actor, Agenda } from '../engine/agenda.ts'
import { type Random, streams } from '../engine/random.ts'

/** A server that works on one request after the other. */
export interface PoolServerSpec {
  readonly url: string
  /** 1: a mean service time of `serviceMs`. */
  readonly speed: number
}

interface Job {
  readonly app: number
  readonly server: string
  readonly arrivedMs: number
  /** Work at speed 1. */
  readonly ms: number
}

/** An application behind the gate: a pool, and its requests. */
export interface PoolApp {
  readonly rate: number
  readonly pool: Partial<OriginPool> & Pick<OriginPool, 'servers'>
  /** Sessions that began at a server before the run: how many, and the mean time between their requests. */
  readonly residual?: {
    readonly server: string
    readonly sessions: number
    readonly everyMs: number
    readonly endsMs: number
  }
}

export interface PoolSiteOptions {
  readonly servers: readonly PoolServerSpec[]
  readonly apps: readonly PoolApp[]
  readonly serviceMs: number
  readonly seconds: number
  readonly seed: number
  /** Plans that come at their time. */
  readonly plans?: readonly {
    readonly atMs: number
    readonly app: number
    readonly plan: PoolPlan
  }[]
}

export interface PoolLog {
  readonly app: number
  readonly server: string
  readonly isResidual: boolean
  readonly atMs: number
  readonly responseMs: number
}

const ARRIVE = 0
const DONE = 1
const FOLLOW = 2
const RESIDUAL = 3
const PAIR = 1000

/** Applications that share servers, each behind the product's own pool. */
export function runPoolSite(options: PoolSiteOptions): readonly PoolLog[] {
  return new PoolSite(options).run()
}

class PoolSite implements Actor {
  readonly #agenda = new Agenda()
  readonly #options: PoolSiteOptions
  readonly #pools: readonly ServerPool[]
  readonly #queues = new Map<string, (Job & { isResidual: boolean })[]>()
  readonly #random: Readonly<Record<'arrivals' | 'service' | 'choice' | 'sessions', Random>>
  readonly #actor: number
  readonly #log: PoolLog[] = []

  constructor(options: PoolSiteOptions) {
    this.#options = options
    this.#pools = options.apps.map(
      ({ pool }, i) =>
        new ServerPool({
          ...{ ...DEFAULTS.origin, name: `app ${i}`, keepHeaders: [], healthCheck: null },
          ...pool,
        }),
    )
    const random = streams(options.seed)
    this.#random = {
      ...{ arrivals: random('arrivals'), service: random('service') },
      ...{ choice: random('choice'), sessions: random('sessions') },
    }
    this.#actor = this.#agenda.register(this)
    for (const { url } of options.servers) this.#queues.set(url, [])
  }

  run(): readonly PoolLog[] {
    const { apps, plans = [], seconds } = this.#options
    for (const [app, { residual }] of apps.entries()) {
      this.#nextArrival(app)
      for (let i = 0; i < (residual?.sessions ?? 0); i++)
        this.#later(this.#exponential('sessions', residual!.everyMs), RESIDUAL, app * PAIR + i)
    }
    for (const [i, { atMs }] of plans.entries()) this.#agenda.schedule(atMs, this.#actor, FOLLOW, i)
    this.#agenda.runUntil(seconds * 1000)
    return this.#log
  }

  handle(kind: number, subject: number): void {
    if (kind === ARRIVE) {
      this.#send(subject, null)
      this.#nextArrival(subject)
    } else if (kind === DONE) this.#done(this.#options.servers[subject]!)
    else if (kind === FOLLOW) {
      const { app, plan } = this.#options.plans![subject]!
      this.#pools[app]!.follow(plan)
    } else this.#residual(Math.floor(subject / PAIR), subject % PAIR)
  }

  /** A session that began before sends a request, until it ends. */
  #residual(app: number, session: number): void {
    const { residual } = this.#options.apps[app]!
    const { endsMs, everyMs, server } = residual!
    // Lives are exponential: each request is the last one with this chance.
    if (this.#random.sessions.next() < everyMs / endsMs) return
    this.#send(app, { id: `${app} ${session}`, server: markOf(server) })
    this.#later(this.#exponential('sessions', everyMs), RESIDUAL, app * PAIR + session)
  }

  #send(app: number, session: { id: string; server: string } | null): void {
    const { nowMs } = this.#agenda
    const coin = (): number => this.#random.choice.next()
    const server = this.#pools[app]!.pick(coin, nowMs, session)
    this.#pools[app]!.begin(server)
    const ms = this.#exponential('service', this.#options.serviceMs)
    const queue = this.#queues.get(server)!
    queue.push({ app, server, arrivedMs: nowMs, ms, isResidual: session !== null })
    if (queue.length === 1) this.#work(server)
  }

  #work(server: string): void {
    const index = this.#options.servers.findIndex(({ url }) => url === server)
    const { speed } = this.#options.servers[index]!
    this.#later(this.#queues.get(server)![0]!.ms / speed, DONE, index)
  }

  #done({ url }: PoolServerSpec): void {
    const queue = this.#queues.get(url)!
    const { app, arrivedMs, isResidual } = queue.shift()!
    const { nowMs } = this.#agenda
    this.#pools[app]!.end(url, nowMs - arrivedMs, nowMs)
    this.#log.push({ app, server: url, isResidual, atMs: nowMs, responseMs: nowMs - arrivedMs })
    if (queue.length > 0) this.#work(url)
  }

  #nextArrival(app: number): void {
    const { rate } = this.#options.apps[app]!
    if (rate > 0) this.#later(this.#exponential('arrivals', 1000 / rate), ARRIVE, app)
  }

  #later(ms: number, kind: number, subject: number): void {
    this.#agenda.schedule(this.#agenda.nowMs + ms, this.#actor, kind, subject)
  }

  #exponential(stream: 'arrivals' | 'service' | 'sessions', mean: number): number {
    return -mean * Math.log(1 - this.#random[stream].next())
  }
}

export function percentileOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}
