import type { Route } from '../config/config.ts'
import type { Plan } from '../protocol/plan.ts'
import { Contention } from './contention.ts'
import { InFlightSizes } from './in-flight-sizes.ts'
import type { RequestRecord } from './request-record.ts'
import { serverUseOf } from './server-timing.ts'
import { QUIET_BELOW, ServiceTimes } from './service-times.ts'

/** Do the routes to an origin ask for anything that depends on the size of requests? */
export function needsCosts(routes: readonly Route[]): boolean {
  return routes.some(
    ({ order, police, smallFirst }) => order === 'density' || police !== 'threshold' || smallFirst,
  )
}

/** What this isolate knows of the sizes of an origin's requests: their inherent service times (Cataclysm §3.5). */
export class RequestCosts {
  readonly inFlight = new InFlightSizes()
  readonly #times = new ServiceTimes()
  readonly #crowding = new Contention()
  /** What the plan says of the whole origin, until this isolate knows better. */
  #meanMs = 0
  #servers = 1
  #level = 0

  follow({ load }: Plan): void {
    this.#meanMs = load?.serviceMs ?? 0
    this.#level = load?.inFlight ?? 0
    this.#servers = load?.servers ?? 1
  }

  /** 0: nothing is known. */
  estimateMs(route: string, path: string): number {
    return this.#times.estimateMs(route, path) ?? this.#meanMs
  }

  /** Requests at the origin now, as far as this isolate or the last plan knows. */
  get others(): number {
    return Math.max(this.#level, this.inFlight.size)
  }

  /** The origin has answered: how long it took, and what it says itself, tells the size of its path. */
  observe(
    route: string,
    path: string,
    ticket: Pick<RequestRecord, 'sampleMs' | 'others'>,
    response: Response,
  ): void {
    const { sampleMs } = ticket
    if (sampleMs === null || response.status >= 500) return
    const servers = this.#crowding.servers(this.#servers)
    const isQuiet = Math.max(ticket.others, this.others) / servers < QUIET_BELOW
    // Those that come together, as a batch does, see nobody when they come, but each other when they go.
    const others = (ticket.others + this.others) / 2
    const timing = response.headers.get('Server-Timing')
    const measuredMs = this.#times.measuredMs(route, path)
    if (measuredMs !== null) this.#crowding.observe(sampleMs, measuredMs, others)
    this.#times.observe({
      route,
      path,
      responseMs: sampleMs,
      use: timing === null ? null : serverUseOf(timing),
      inFlight: isQuiet ? 0 : Math.max(QUIET_BELOW, others / servers),
    })
  }
}
