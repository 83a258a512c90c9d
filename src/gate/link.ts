import { Admission } from '../admission/admission.ts'
import type { Route } from '../config/config.ts'
import { originNameOf } from '../config/config.ts'
import { DEFAULTS } from '../config/defaults.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import { RouteCounters } from '../measure/counters.ts'
import { OpenRequests } from '../measure/open-requests.ts'
import { needsCosts, RequestCosts } from '../measure/request-cost.ts'
import { ServerPool } from '../origin/server-pool.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import {
  FEEDBACK_VERSION,
  type Feedback,
  type RouteFeedback,
  type Setup,
} from '../protocol/feedback.ts'
import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'
import { coordinatorSetup } from './coordinator-setup.ts'
import { FallbackLimit } from './fallback-limit.ts'
import type { PlanCache } from './plan-cache.ts'

/** At most one report in this time. */
const REPORT_EVERY_MS = 1000
/** A report that takes longer has failed. */
const REPORT_WITHIN_MS = 2500
/** After so many failed reports in a row the routes' `failure` rule holds. */
const FAILURES_BEFORE_RULE = 3
/** A scheduled report that has not come by then died with the request that held it. */
const SCHEDULE_DEAD_AFTER_MS = 5000
/** Behind one request there are so many reports at the most, as long as fresh requests are under way. */
const MOST_IN_A_ROW = 4

/**
 * This isolate's end of the line to one origin's coordinator: sends what was tallied, once a second and
 * only behind a request, and takes the plan that comes back into force.
 */
export class Link {
  readonly origin: string
  readonly admission: Admission
  readonly tallies: ReadonlyMap<string, RouteCounters>
  readonly open: OpenRequests
  /** null where nothing depends on the sizes of requests. */
  readonly sizes: RequestCosts | null
  /** null: the handlers behind the middleware are the origin. */
  readonly pool: ServerPool | null
  readonly #setup: Setup
  readonly #sender: string
  readonly #port: CoordinatorPort
  readonly #cache: PlanCache | null
  readonly #runtime: Runtime
  readonly #local: FallbackLimit
  #plan: Plan | null = null
  /** The last report, if nobody took it. */
  #lost: Omit<Feedback, 'again'> | null = null
  #share = 0
  /** The setup that the coordinator has, as its last answer said. */
  #known: Plan['setup'] | null = null
  #seq = 0
  #fromMs: number
  #scheduledAtMs = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(
    routes: readonly Route[],
    options: { sender: string; port: CoordinatorPort; cache: PlanCache | null; runtime: Runtime },
  ) {
    const { sender, port, cache, runtime } = options
    const nowMs = runtime.now()
    const first = routes[0]!
    this.origin = originNameOf(first)
    // All routes to an origin have the same servers, weights and time-out: the configuration sees to it.
    this.pool = first.origin === null ? null : new ServerPool(first.origin)
    this.sizes = needsCosts(routes) ? new RequestCosts() : null
    this.tallies = new Map(routes.map((route) => [route.name, tallyOf(route, this.sizes)]))
    this.admission = new Admission(
      routes,
      nowMs,
      runtime.coin,
      () => inFlight(this.tallies),
      this.sizes?.inFlight ?? null,
    )
    this.#setup = coordinatorSetup(routes, nowMs)
    this.#sender = sender
    this.#port = port
    this.#cache = cache
    this.#runtime = runtime
    this.#local = new FallbackLimit(this.#setup)
    this.open = new OpenRequests(longestTimeoutMs(routes))
    this.#fromMs = nowMs
  }

  /** Has it never reported? */
  get isNew(): boolean {
    return this.#seq === 0
  }

  get plan(): Plan | null {
    return this.#plan
  }

  /** To be called on every request's arrival: makes sure that a report is on its way soon. */
  touch(background: Background, nowMs: number): void {
    if (nowMs - this.#scheduledAtMs < SCHEDULE_DEAD_AFTER_MS) return
    this.#scheduledAtMs = nowMs
    // The first goes at once, on arrival: a surge brings many new isolates, and each needs a plan.
    background.waitUntil(this.#reports())
  }

  /** The colo's newest plan, for an isolate that has none of its own yet. */
  async followCached(): Promise<void> {
    const plan = await this.#cache?.read(this.origin).catch(() => null)
    if (plan && !this.#plan) this.#follow({ plan, share: 0 })
  }

  async #reports(): Promise<void> {
    for (let i = 0; i < MOST_IN_A_ROW; i++) {
      if (this.#seq > 0) await this.#runtime.sleep(REPORT_EVERY_MS)
      await this.#report()
      // Whose client has left is seen by a later report, and no other request may come to bring it about.
      if (!this.open.hasFresh) break
    }
    // From here the next request schedules the next report; until then nobody else would tell these that they last.
    this.open.tellAll(this.#runtime.now())
    this.#scheduledAtMs = Number.NEGATIVE_INFINITY
  }

  async #report(): Promise<void> {
    const nowMs = this.#runtime.now()
    this.open.sweep(nowMs)
    const feedback = this.#feedback(nowMs)
    this.#scheduledAtMs = nowMs
    try {
      this.#follow(await this.#within(this.#port.report(feedback), REPORT_WITHIN_MS))
      this.#failures = 0
      this.#lost = null
    } catch {
      const { again, ...lost } = feedback
      this.#lost = lost
      this.#failed(feedback)
    }
    if (this.#failures === 0 && this.#plan)
      await this.#cache?.offer(this.#plan, this.#runtime.now())
  }

  #follow({ plan, share }: ReportAnswer): void {
    this.#known = plan?.version === PLAN_VERSION ? plan.setup : null
    if (!plan || plan.version !== PLAN_VERSION) return
    this.#plan = plan
    this.#share = share
    for (const [name, tally] of this.tallies)
      for (const counted of tally.classes)
        counted.targetMs = plan.routes[name]?.targetMs ?? counted.targetMs
    this.sizes?.follow(plan)
    this.pool?.follow(plan.down)
    this.admission.follow(plan, share, this.#runtime.now())
  }

  #failed(feedback: Feedback): void {
    const drawLimit = this.#plan?.drawLimit ?? null
    // A share of 0 tells only that this isolate has not asked for a draw yet.
    if (this.#failures === 0)
      this.#local.seed(drawLimit === null || this.#share === 0 ? null : drawLimit * this.#share)
    this.#failures++
    const limit = this.#local.learn(feedback)
    if (this.#failures >= FAILURES_BEFORE_RULE)
      this.admission.failLocally(limit, this.#runtime.now())
  }

  #feedback(nowMs: number): Feedback {
    const routes: Record<string, RouteFeedback> = {}
    for (const [name, tally] of this.tallies) routes[name] = tally.drain()
    const fromMs = Math.min(this.#fromMs, nowMs)
    this.#fromMs = nowMs
    const { id, sinceMs } = this.#setup
    const servers = this.pool?.tally?.drain()
    const isKnown = this.#known?.id === id || (this.#known?.sinceMs ?? -1) >= sinceMs
    return {
      version: FEEDBACK_VERSION,
      origin: this.origin,
      sender: this.#sender,
      seq: this.#seq++,
      fromMs,
      toMs: nowMs,
      ...(isKnown ? {} : { setup: this.#setup }),
      ...(this.#lost === null ? {} : { again: this.#lost }),
      routes,
      ...(servers ? { servers } : {}),
    }
  }

  async #within<Value>(work: Promise<Value>, ms: number): Promise<Value> {
    const late = this.#runtime.sleep(ms).then(() => {
      throw new Error(`The coordinator did not answer within ${ms} ms`)
    })
    late.catch(() => {})
    return Promise.race([work, late])
  }
}

function inFlight(tallies: ReadonlyMap<string, RouteCounters>): number {
  let sum = 0
  for (const tally of tallies.values()) sum += tally.inFlight
  return sum
}

function longestTimeoutMs(routes: readonly Route[]): number {
  return Math.max(...routes.map(({ origin }) => origin?.timeoutMs ?? DEFAULTS.origin.timeoutMs))
}

function tallyOf({ classes, sla }: Route, sizes: RequestCosts | null): RouteCounters {
  return new RouteCounters(
    classes.map(({ name }) => name),
    sla.targets[0]!.targetMs,
    sizes?.inFlight ?? null,
  )
}
