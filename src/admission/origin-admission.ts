import type { FailureRule, Mode, Route, StartupRule } from '../config/config.ts'
import type { InFlightSizes } from '../measure/in-flight-sizes.ts'
import { isAllIn, modesOf, type Plan } from '../protocol/plan.ts'
import { type LimitPlan, limitsOf, SHARED } from '../protocol/plan-limits.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { BatchPolicer, type WaitingRequest } from './batch/policer.ts'
import { PolicerSwitch } from './batch/policer-switch.ts'
import type { InFlightTime } from './cap-share.ts'
import type { ClassState } from './class-state.ts'
import { HeldLimit } from './held-limit.ts'
import { OriginClasses } from './origin-classes.ts'
import type { PlanPart } from './plan-part.ts'
import { RouteQuality } from './route-quality.ts'
import { SoldOutRoutes } from './sold-out.ts'

/** Above this many requests per second, an isolate with `police: "auto"` tests no batches. */
const MOST_BATCHED_PER_SECOND = 1000

/** Requests of this isolate in flight: of one class, or without a class all that share the limit. */
type InFlightLevels = (route?: string, classIndex?: number) => number
/** The time that these have been in flight so far, in all. */
type BusyTimes = (nowMs: number, route?: string, classIndex?: number) => number

/** Decides for all classes of one origin in this isolate: the guarantee first, then the share of the limit. */
export class OriginAdmission {
  readonly soldOut = new SoldOutRoutes()
  readonly #classes: OriginClasses
  /** Of the routes that can degrade. */
  readonly #qualities = new Map<string, RouteQuality>()
  /** The limit of all classes without one of their own. */
  readonly #shared: HeldLimit
  readonly #policer: BatchPolicer | null
  readonly #switch: PolicerSwitch
  #hasPlan = false
  /** Until when the plan in force is good. */
  #goodUntilMs = Number.NEGATIVE_INFINITY
  #isFailing = false
  #isOpen = true
  #isPressed = false
  /** By route, the modes that operators set; null: none. */
  #modes: ReadonlyMap<string, Mode> | null = null

  constructor(
    routes: readonly Route[],
    nowMs: number,
    coin: () => number,
    inFlight: InFlightLevels,
    sizes: InFlightSizes | null = null,
    busyMs: BusyTimes = () => 0,
  ) {
    const inFlightOf = (route?: string, classIndex?: number): InFlightTime => ({
      level: () => inFlight(route, classIndex),
      busyMs: (atMs) => busyMs(atMs, route, classIndex),
    })
    this.#shared = new HeldLimit(inFlightOf(), coin, nowMs)
    this.#classes = new OriginClasses(routes, inFlightOf, coin, nowMs)
    for (const route of routes)
      if (route.degrade?.quality) this.#qualities.set(route.name, new RouteQuality())
    const isBatched = routes.some(({ police }) => police !== 'threshold')
    const classes = routes.reduce((sum, route) => sum + route.classes.length, 0)
    this.#policer = isBatched && sizes !== null ? new BatchPolicer(classes, sizes, coin) : null
    this.#switch = new PolicerSwitch(MOST_BATCHED_PER_SECOND, nowMs)
  }

  get hasPlan(): boolean {
    return this.#hasPlan
  }

  /** Does a plan decide? Otherwise a rule for startup or failure does. */
  get isFollowing(): boolean {
    return this.#hasPlan && !this.#isFailing
  }

  /** A class under the plan in force. */
  classAt(route: Route, classIndex: number): ClassState {
    return this.#classes.at(route.name, classIndex)
  }

  /** Is this isolate's part of the cap on requests in flight reached? */
  isFull({ name }: Route, classIndex: number, nowMs: number): boolean {
    return this.#limitOf(this.#classes.at(name, classIndex)).cap.isFull(nowMs)
  }

  /** Do draws ask the relay one by one? */
  isEachAsking(nowMs: number): boolean {
    if (this.#isFailing) return false
    if (this.#shared.rate.isEachAsking(nowMs)) return true
    for (const { rate } of this.#classes.own) if (rate.isEachAsking(nowMs)) return true
    return false
  }

  /** Must the relay know at once when a request of this class has ended? */
  reportsEnds({ name }: Route, classIndex: number, nowMs: number): boolean {
    const { rate } = this.#limitOf(this.#classes.at(name, classIndex))
    return !this.#isFailing && rate.reportsEnds(nowMs)
  }

  /** The mode in force: the configured one, unless an operator set another. */
  modeOf({ name, mode }: Route): Mode {
    return this.#modes === null ? mode : (this.#modes.get(name) ?? mode)
  }

  /** Can a request be refused now? Only then does it matter which client asks. */
  get isContested(): boolean {
    return !this.#isOpen
  }

  /** Does the plan refuse visitors? */
  get isPressed(): boolean {
    return this.#isPressed
  }

  /** Should a draw first ask for a newer plan, or for more of the lease? */
  wantsAnswer(route: Route, classIndex: number, nowMs: number): boolean {
    if (this.#isFailing) return false
    const state = this.#classes.at(route.name, classIndex)
    return this.isStale(nowMs) || this.#limitOf(state).rate.wantsMore(state, nowMs)
  }

  /** null: the route cannot degrade. */
  qualityOf(route: string): RouteQuality | null {
    return this.#qualities.get(route) ?? null
  }

  /** Takes a plan into force. A stored one is stale from the start: nobody knows how many follow it by now. */
  follow(plan: Plan, part: PlanPart, nowMs: number, isStored = false): void {
    this.#hasPlan = true
    this.#goodUntilMs = isStored ? Number.NEGATIVE_INFINITY : nowMs + plan.goodForMs
    this.#isFailing = false
    this.#modes = modesOf(plan)
    this.#isPressed = !isAllIn(plan)
    const limits = limitsOf(plan)
    const isAnyCut = this.#classes.follow(plan, limits, part, nowMs)
    this.#isOpen = !isAnyCut && [...limits.values()].every(isUnlimited)
    this.soldOut.follow(plan, nowMs)
    for (const [name, quality] of this.#qualities) quality.follow(plan.routes[name]?.quality)
    this.#shared.follow(limits.get(SHARED)!, part, nowMs)
    this.#policer?.follow(plan, part.share)
  }

  /**
   * The coordinator cannot be reached: the routes' `failure` rules apply, with this limit if the rule is `local`. `own`: by
   * class key, the limits of the classes that are limited by themselves.
   */
  failLocally(limit: number, nowMs: number, own: ReadonlyMap<string, number> = new Map()): void {
    this.#isFailing = true
    this.#isOpen = false
    this.#shared.rate.limitTo(limit, nowMs)
    this.#classes.limitTo(own, limit, nowMs)
  }

  /**
   * A new session or a request asks for admission. `client` is the hash of its client, if fairness needs it;
   * `serviceMs` is its expected service time, if the cost of requests matters.
   */
  draw(
    route: Route,
    classIndex: number,
    nowMs: number,
    client: number | null = null,
    serviceMs = 0,
  ): Verdict {
    const state = this.#classes.at(route.name, classIndex)
    const { fair } = state
    if (fair === null || client === null) return this.#drawWithin(route, state, serviceMs, nowMs)
    const verdict = fair.isOverQuota(client, nowMs)
      ? this.#drawOverQuota(route, state, serviceMs, nowMs)
      : this.#drawWithin(route, state, serviceMs, nowMs)
    state.countForFairness(client, verdict, nowMs)
    return verdict
  }

  /** Like `draw`, but a request may have to wait for the verdict on its batch: see `judgeBatches`. */
  drawInBatch(
    route: Route,
    classIndex: number,
    nowMs: number,
    client: number | null,
    serviceMs: number,
  ): Verdict | WaitingRequest {
    const policer = this.#policer
    const state = this.#classes.at(route.name, classIndex)
    // The test of a batch is for the classes that share the limit.
    const isApart = this.#limitOf(state) !== this.#shared
    if (policer === null || isApart || !this.#isBatched(policer, route, nowMs))
      return this.draw(route, classIndex, nowMs, client, serviceMs)
    const verdict = this.#withoutTest(route, state, client, serviceMs, nowMs)
    if (verdict !== null) {
      state.countForFairness(client, verdict, nowMs)
      return verdict
    }
    // In `observe` no request waits.
    const isEnforced = this.modeOf(route) === 'enforce'
    const delayMs = isEnforced ? state.delayMs : 0
    const waiting = policer.add(state, serviceMs, client, delayMs, nowMs)
    if (waiting.dueMs <= nowMs) this.judgeBatches(nowMs)
    if (waiting.verdict !== null || isEnforced) return waiting.verdict ?? waiting
    // It would have to wait for a batch of an enforced route with the same rank.
    policer.remove(waiting)
    return this.draw(route, classIndex, nowMs, client, serviceMs)
  }

  /** Decides on every waiting request that is due. The first request to wake calls this for all of them. */
  judgeBatches(nowMs: number): void {
    const policer = this.#policer
    policer?.judge(nowMs, (waiting, passes) => {
      const { state, serviceMs } = waiting
      // A batch that passes the test must also fit into the limit.
      const isAdmitted = passes && this.#shared.rate.admitByTokens(state, serviceMs, nowMs)
      if (!isAdmitted && policer.addAgain(waiting, nowMs)) return
      waiting.verdict = isAdmitted ? ADMIT.batch : passes ? REFUSE.share : REFUSE.batch
      state.countForFairness(waiting.client, waiting.verdict, nowMs)
    })
  }

  /** The client of a waiting request has left. */
  release(waiting: WaitingRequest): void {
    this.#policer?.remove(waiting)
  }

  /** The verdict if no batch test is needed: quota, guarantee, in-flight cap, probability 0. null: the test decides. */
  #withoutTest(
    route: Route,
    state: ClassState,
    client: number | null,
    serviceMs: number,
    nowMs: number,
  ): Verdict | null {
    if (client !== null && state.fair?.isOverQuota(client, nowMs))
      return this.#drawOverQuota(route, state, serviceMs, nowMs)
    state.arrive(serviceMs)
    if (state.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#shared.cap.isFull(nowMs)) return REFUSE.full
    // During a short pause of a more important class this one would pass, and take places that the other needs next.
    return state.probability > 0 ? null : REFUSE.share
  }

  #isBatched(policer: BatchPolicer, { police }: Route, nowMs: number): boolean {
    if (police === 'threshold') return false
    if (police === 'auto' && this.#switch.arrive(nowMs) === 'threshold') return false
    return this.#hasPlan && !this.#isFailing && this.#shared.rate.isByBucket && policer.isReady
  }

  #limitOf(state: ClassState): HeldLimit {
    return this.#classes.ownLimitOf(state) ?? this.#shared
  }

  #drawWithin(route: Route, state: ClassState, serviceMs: number, nowMs: number): Verdict {
    const limit = this.#limitOf(state)
    const { rate, cap } = limit
    if (this.#isFailing) return this.#byFailureRule(route.failure, state, nowMs)
    if (!this.#hasPlan) return this.#byStartupRule(route.startup, state.cost, nowMs)
    state.arrive(serviceMs)
    if (state.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (cap.isFull(nowMs)) return REFUSE.full
    if (this.isStale(nowMs))
      return rate.admitWithoutPlan(state.cost, nowMs) ? ADMIT.share : REFUSE.share
    if (rate.isUnlimited(nowMs) && state.probability >= 1) return ADMIT.share
    // The quality of a route follows the limit that its classes share.
    const quality = limit === this.#shared ? this.#qualities.get(route.name) : undefined
    const load = quality?.load(nowMs)
    if (rate.admitByPlan(state, serviceMs, nowMs, load)) return ADMIT.share
    // Lower quality comes before a refusal.
    if (!quality?.lower(nowMs) || this.modeOf(route) !== 'enforce') return REFUSE.share
    // The tokens went to requests of full quality, so the first one of lower quality does not need any. A small isolate needs
    // them all the same: a thousand of them would let in a thousand.
    const isIn = rate.admitByPlan(state, serviceMs, nowMs, quality.load(nowMs))
    return isIn || (rate.isByBucket && state.probability > 0) ? ADMIT.share : REFUSE.share
  }

  /** The client has used its quota. It still gets unused capacity. */
  #drawOverQuota(route: Route, state: ClassState, serviceMs: number, nowMs: number): Verdict {
    if (this.#isFailing && route.failure !== 'local')
      return this.#drawWithin(route, state, serviceMs, nowMs)
    const { rate, cap } = this.#limitOf(state)
    const isUnused =
      !this.#isFailing && !cap.isFull(nowMs) && rate.admitIfUnused(state, serviceMs, nowMs)
    return isUnused ? ADMIT.share : REFUSE.fairness
  }

  /** No plan, or one after which a newer one should have come. It says nothing about this moment. */
  isStale(nowMs: number): boolean {
    return nowMs > this.#goodUntilMs
  }

  /** Before the first answer nobody knows how much others let in, so only a few pass. */
  #byStartupRule(startup: StartupRule, cost: number, nowMs: number): Verdict {
    if (startup === 'refuse') return REFUSE.startup
    return this.#shared.rate.admitWithoutPlan(cost, nowMs) ? ADMIT.startup : REFUSE.startup
  }

  #byFailureRule(failure: FailureRule, state: ClassState, nowMs: number): Verdict {
    if (failure === 'open') return ADMIT.open
    if (failure === 'closed') return REFUSE.closed
    return this.#limitOf(state).rate.admitLocally(state.cost, nowMs) ? ADMIT.local : REFUSE.local
  }
}

const isUnlimited = ({ drawLimit, inFlightCap }: LimitPlan): boolean =>
  drawLimit === null && inFlightCap === null
