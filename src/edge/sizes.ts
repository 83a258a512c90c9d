import type { Route } from '../config/types.ts'
import { serverUseOf } from '../control/server-timing.ts'
import { ServiceTimes } from '../control/service-times.ts'
import type { Plan } from '../plan.ts'
import { InService } from './in-service.ts'
import type { Ticket } from './tallies.ts'

/** Do the routes to an origin ask for anything that depends on the size of requests? */
export function needsSizes(routes: readonly Route[]): boolean {
  return routes.some(
    ({ order, police, smallFirst }) => order === 'density' || police !== 'threshold' || smallFirst,
  )
}

/** What this isolate knows of the sizes of an origin's requests: their inherent service times (Cataclysm §3.5). */
export class Sizes {
  readonly inService = new InService()
  readonly #times = new ServiceTimes()
  /** What the plan says of the whole origin, until this isolate knows better. */
  #meanMs = 0
  #servers = 1
  #level = 0

  follow({ load }: Plan): void {
    this.#meanMs = load?.serviceMs ?? 0
    this.#level = load?.inService ?? 0
    this.#servers = Math.max(1, load?.servers ?? 1)
  }

  /** 0: nothing is known. */
  estimateMs(route: string, path: string): number {
    return this.#times.estimateMs(route, path) ?? this.#meanMs
  }

  /** η: requests at a server beside the one that comes now, as far as this isolate or the last plan knows. */
  get others(): number {
    return Math.max(this.#level, this.inService.size) / this.#servers
  }

  /** The origin has answered: how long it took, and what it says itself, tells the size of its path. */
  observe(route: string, path: string, ticket: Ticket, response: Response): void {
    const { sampleMs } = ticket
    if (sampleMs === null || response.status >= 500) return
    const timing = response.headers.get('Server-Timing')
    this.#times.observe({
      route,
      path,
      responseMs: sampleMs,
      use: timing === null ? null : serverUseOf(timing),
      inService: ticket.others,
    })
  }
}
