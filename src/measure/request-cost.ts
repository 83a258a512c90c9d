import type { Route } from '../config/config.ts'
import type { Plan } from '../protocol/plan.ts'
import { Contention } from './contention.ts'
import type { InFlightRequest } from './in-flight-request.ts'
import { InFlightSizes } from './in-flight-sizes.ts'
import { serverUseOf } from './server-timing.ts'
import { QUIET_BELOW, ServiceTimes } from './service-times.ts'

/** Does any route to the origin use the cost of requests? */
export function needsCosts(routes: readonly Route[]): boolean {
  return routes.some(
    ({ order, police, smallFirst }) => order === 'density' || police !== 'threshold' || smallFirst,
  )
}

/** The expected service times of an origin's requests (Urgaonkar and Shenoy 2005, §3.5), as this isolate knows them. */
export class RequestCosts {
  readonly inFlight = new InFlightSizes()
  readonly #times = new ServiceTimes()
  readonly #contention = new Contention()
  /** The plan's figures for the whole origin. They are used until this isolate has its own. */
  #meanMs = 0
  #servers = 1
  #level = 0

  follow({ load }: Plan): void {
    this.#meanMs = load?.serviceMs ?? 0
    this.#level = load?.inFlight ?? 0
    this.#servers = load?.servers ?? 1
  }

  /** 0: unknown. */
  estimateMs(route: string, path: string): number {
    return this.#times.estimateMs(route, path) ?? this.#meanMs
  }

  /** Requests in flight at the origin, as far as this isolate or the last plan knows. */
  get others(): number {
    return Math.max(this.#level, this.inFlight.size)
  }

  /** The origin has answered. The cost of the path follows from the response time and the `Server-Timing` header. */
  observe(
    route: string,
    path: string,
    request: Pick<InFlightRequest, 'sampleMs' | 'others'>,
    serverTiming: string | null,
  ): void {
    const { sampleMs } = request
    if (sampleMs === null) return
    const servers = this.#contention.servers(this.#servers)
    const isQuiet = Math.max(request.others, this.others) / servers < QUIET_BELOW
    // Requests that start together, like those of a batch, see no others at the start, but each other at the end.
    const others = (request.others + this.others) / 2
    const measuredMs = this.#times.measuredMs(route, path)
    if (measuredMs !== null) this.#contention.observe(sampleMs, measuredMs, others)
    this.#times.observe({
      route,
      path,
      responseMs: sampleMs,
      use: serverTiming === null ? null : serverUseOf(serverTiming),
      inFlight: isQuiet ? 0 : Math.max(QUIET_BELOW, others / servers),
    })
  }
}
