import { OriginAdmission } from '../admission/origin-admission.ts'
import { RouteAdmission } from '../admission/route-admission.ts'
import { originNameOf, type Route } from '../config/config.ts'
import { DEFAULTS } from '../config/defaults.ts'
import type { Runtime } from '../lib/runtime.ts'
import { RouteCounters } from '../measure/counters.ts'
import { OpenRequests } from '../measure/in-flight-request.ts'
import { needsCosts, RequestCosts } from '../measure/request-cost.ts'
import { ServerPool } from '../origin/server-pool.ts'
import type { Feedback, RouteFeedback } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'

/** The state of an isolate for one origin: the plan in force, counters since the last report, requests in flight. */
export class OriginState {
  readonly name: string
  readonly admission: OriginAdmission
  readonly open: OpenRequests
  /** null: nothing depends on the cost of requests. */
  readonly costs: RequestCosts | null
  /** null: the handlers behind the middleware are the origin. */
  readonly pool: ServerPool | null
  readonly #routes = new Map<string, { counters: RouteCounters; admission: RouteAdmission }>()

  /** `routes` are all routes to this origin. The configuration gives them the same servers and timeout. */
  constructor(routes: readonly Route[], runtime: Runtime) {
    const { origin } = routes[0]!
    this.name = originNameOf(routes[0]!)
    this.pool = origin === null ? null : new ServerPool(origin)
    this.costs = needsCosts(routes) ? new RequestCosts() : null
    this.open = new OpenRequests(origin?.timeoutMs ?? DEFAULTS.origin.timeoutMs)
    const sizes = this.costs?.inFlight ?? null
    this.admission = new OriginAdmission(
      routes,
      runtime.now(),
      runtime.coin,
      () => this.#inFlight,
      sizes,
    )
    for (const route of routes) {
      const counters = new RouteCounters(
        route.classes.map(({ name }) => name),
        route.sla.targets[0]!.targetMs,
        sizes,
      )
      const { admission: origin, open, costs } = this
      const admission = new RouteAdmission(route, { origin, counters, open, costs, runtime })
      this.#routes.set(route.name, { counters, admission })
    }
  }

  admissionOf(route: string): RouteAdmission {
    return this.#routes.get(route)!.admission
  }

  countersOf(route: string): RouteCounters {
    return this.#routes.get(route)!.counters
  }

  /** Takes a plan into force. `share` is this isolate's part of all draws. */
  follow(plan: Plan, share: number, nowMs: number): void {
    for (const [name, { counters }] of this.#routes) {
      const targetMs = plan.routes[name]?.targetMs
      if (targetMs !== undefined) counters.setTarget(targetMs)
    }
    this.costs?.follow(plan)
    this.pool?.follow(plan.down)
    this.admission.follow(plan, share, nowMs)
  }

  /** The counters since the last call. */
  drain(nowMs: number): Pick<Feedback, 'routes' | 'servers'> {
    this.open.sweep(nowMs)
    const routes: Record<string, RouteFeedback> = {}
    for (const [name, { counters }] of this.#routes) routes[name] = counters.drain()
    const servers = this.pool?.counters?.drain()
    return servers ? { routes, servers } : { routes }
  }

  /** Requests of this isolate that wait for the origin's headers. */
  get #inFlight(): number {
    let sum = 0
    for (const { counters } of this.#routes.values()) sum += counters.inFlight
    return sum
  }
}
