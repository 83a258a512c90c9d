import { OriginAdmission } from '../admission/origin-admission.ts'
import type { PlanPart } from '../admission/plan-part.ts'
import { RouteEvents } from '../admission/queue/route-events.ts'
import { RouteAdmission } from '../admission/route-admission.ts'
import { originNameOf, type Route, type RouteClass } from '../config/config.ts'
import { DEFAULTS } from '../config/defaults.ts'
import type { Runtime } from '../lib/runtime.ts'
import { AnswerCosts } from '../measure/answer-cost.ts'
import {
  AnswerLoads,
  isTypical,
  KNOWN_LIGHT_BELOW,
  SELDOM,
  sharedKindOf,
  type TimedAnswer,
} from '../measure/answer-load.ts'
import type { ClassCounters } from '../measure/counters.ts'
import { OpenRequests } from '../measure/in-flight-request.ts'
import { needsCosts, RequestCosts } from '../measure/request-cost.ts'
import { RouteCounters } from '../measure/route-counters.ts'
import { TierTimes } from '../measure/tier-times.ts'
import { ServerPool } from '../origin/server-pool.ts'
import { classKey } from '../protocol/class-key.ts'
import { hasCommands } from '../protocol/commands.ts'
import type { Feedback, RouteFeedback } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { CommandBox } from './command-box.ts'

/** The state of an isolate for one origin: the plan in force, counters since the last report, requests in flight. */
export class OriginState {
  readonly name: string
  readonly admission: OriginAdmission
  readonly open: OpenRequests
  /** null: nothing depends on the cost of requests. */
  readonly costs: RequestCosts | null
  /** null: no capacity is planned. */
  readonly tierTimes: TierTimes | null
  /** null: the handlers behind the middleware are the origin. */
  readonly pool: ServerPool | null
  readonly commands = new CommandBox()
  #share = 0
  readonly #loads = new Map<string, AnswerLoads>()
  readonly #tierCosts = new Map<string, AnswerCosts>()
  readonly #classCosts = new Map<string, AnswerCosts>()
  /** Tiers with a single class. */
  readonly #undivided: ReadonlySet<string>
  readonly #events = new Map<string, RouteEvents>()
  readonly #routes = new Map<string, { counters: RouteCounters; admission: RouteAdmission }>()

  /** `routes` are all routes to this origin. The configuration gives them the same servers and timeout. */
  constructor(routes: readonly Route[], runtime: Runtime) {
    const { origin } = routes[0]!
    this.name = originNameOf(routes[0]!)
    this.pool = origin === null ? null : new ServerPool(origin)
    this.costs = needsCosts(routes) ? new RequestCosts() : null
    const tiers = routes.flatMap(({ classes }) => classes.map(({ tier }) => tier))
    this.#undivided = new Set(
      tiers.filter((tier) => tiers.indexOf(tier) === tiers.lastIndexOf(tier)),
    )
    const { capacity } = routes[0]!
    this.tierTimes = capacity === null ? null : new TierTimes(capacity.tiers)
    this.open = new OpenRequests(origin?.timeoutMs ?? DEFAULTS.origin.timeoutMs)
    const sizes = this.costs?.inFlight ?? null
    this.admission = new OriginAdmission(
      routes,
      runtime.now(),
      runtime.coin,
      (route, index = 0) =>
        route === undefined ? this.#inFlight : this.countersOf(route).classes[index]!.inFlight,
      sizes,
      (nowMs, route, index = 0) =>
        route === undefined
          ? this.#busyMs(nowMs)
          : this.countersOf(route).classes[index]!.busyMs(nowMs),
    )
    for (const route of routes) {
      this.#events.set(route.name, new RouteEvents(route.waitingRoom.events))
      const counters = new RouteCounters(
        route.classes.map(({ name }) => name),
        route.sla.targets[0]!.targetMs,
        sizes,
        route.name,
      )
      // The first rows of the tables hold until a plan says which ones are in force.
      for (const [i, { sla = route.sla }] of route.classes.entries())
        counters.classes[i]!.targetMs = sla.targets[0]!.targetMs
      const { admission: origin, open, costs } = this
      const admission = new RouteAdmission(route, { origin, counters, open, costs, runtime })
      this.#routes.set(route.name, { counters, admission })
    }
  }

  /**
   * What an answer costs, where 1 is the mean page of its class; 0: it is light, and the learner ignores it. The coordinator
   * learns what classes cost. Whether an answer is light is seen beside all pages of its tier: tiers are the parts of an
   * origin that saturate separately. Routes that measure service times count all answers alike here.
   */
  costOf(
    route: string,
    { name, tier }: Pick<RouteClass, 'name' | 'tier'>,
    answer: TimedAnswer,
  ): number {
    if (this.costs !== null) return 1
    const loads = getOrAdd(this.#loads, `${route} ${tier}`, () => new AnswerLoads())
    const counted = loads.count(answer)
    const ofTier = getOrAdd(this.#tierCosts, tier, () => new AnswerCosts())
    const kind = sharedKindOf(answer)
    // Where most answers have become slow ones, ordinary pages look light beside them.
    const known = kind === SELDOM ? ofTier.costOf(answer.key) : null
    const isPage = counted === 'page' || (known !== null && known >= KNOWN_LIGHT_BELOW)
    if (!isPage) return counted === 'ignored' ? 0 : 1
    const seldom = `${route} ${kind}`
    const cost = ofTier.observe(answer.key, seldom, answer.responseMs, isTypical(answer))
    if (this.#undivided.has(tier)) return cost
    const ofClass = getOrAdd(this.#classCosts, classKey(route, name), () => new AnswerCosts())
    return ofClass.observe(answer.key, seldom, answer.responseMs, isTypical(answer))
  }

  eventsOf(route: string): RouteEvents {
    return this.#events.get(route)!
  }

  admissionOf(route: string): RouteAdmission {
    return this.#routes.get(route)!.admission
  }

  countersOf(route: string): RouteCounters {
    return this.#routes.get(route)!.counters
  }

  /** Takes a plan into force. `isStored`: it comes from the data centre's cache. */
  follow(plan: Plan, part: PlanPart, nowMs: number, isStored = false): void {
    this.#share = part.share
    for (const [name, { counters }] of this.#routes) {
      const routePlan = plan.routes[name]
      if (routePlan === undefined) continue
      this.#events.get(name)!.follow(routePlan.events)
      counters.setTargets(routePlan)
      counters.samples.follow(plan.seq, routePlan)
    }
    this.costs?.follow(plan)
    this.pool?.follow(plan, this.#inFlight)
    this.commands.follow(plan)
    this.admission.follow(plan, part, nowMs, isStored)
  }

  /** Is there anything that was not reported yet? */
  get hasNews(): boolean {
    const isNew = ({ offered, tickets, requests, served, failed }: ClassCounters) =>
      offered + tickets + requests + served + failed > 0
    for (const { counters } of this.#routes.values()) if (counters.classes.some(isNew)) return true
    return false
  }

  /** Was anybody refused, or was an answer late or missing, since the last report? */
  get hasTrouble(): boolean {
    const isTrouble = ({ offered, admitted, early, overQuota, late, wouldRefuse }: ClassCounters) =>
      offered > admitted || early + overQuota + late + wouldRefuse > 0
    for (const { counters } of this.#routes.values())
      if (counters.classes.some(isTrouble)) return true
    return false
  }

  /** This isolate's part of all draws, by the last plan. */
  get share(): number {
    return this.#share
  }

  /** The counters since the last call. */
  drain(nowMs: number): Pick<Feedback, 'routes' | 'servers' | 'commands' | 'tiers'> {
    this.open.sweep(nowMs)
    const routes: Record<string, RouteFeedback> = {}
    for (const [name, { counters }] of this.#routes) routes[name] = counters.drain()
    const servers = this.pool?.counters?.drain()
    const commands = this.commands.drain()
    const tiers = this.tierTimes?.drain()
    return {
      routes,
      ...(servers ? { servers } : {}),
      ...(hasCommands(commands) ? { commands } : {}),
      ...(tiers ? { tiers } : {}),
    }
  }

  /** Requests of this isolate that wait for the origin's headers, without those of classes that are limited by themselves. */
  get #inFlight(): number {
    let sum = 0
    for (const { counters } of this.#routes.values()) sum += counters.sharedInFlight
    return sum
  }

  /** The time that these have been in flight so far, in all. */
  #busyMs(nowMs: number): number {
    let sum = 0
    for (const { counters } of this.#routes.values()) sum += counters.sharedBusyMs(nowMs)
    return sum
  }
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = create()
    map.set(key, value)
  }
  return value
}
