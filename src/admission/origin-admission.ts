import type { FailureRule, Route, StartupRule } from '../config/config.ts'
import type { InFlightSizes } from '../measure/in-flight-sizes.ts'
import type { Plan } from '../protocol/plan.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { BatchPolicer, type WaitingRequest } from './batch/policer.ts'
import { PolicerSwitch } from './batch/policer-switch.ts'
import { ClassState } from './class-state.ts'
import { RateShare } from './rate-share.ts'

/** Above this many requests per second, an isolate with `police: "auto"` tests no batches. */
const MOST_BATCHED_PER_SECOND = 1000

/** Decides for all classes of one origin in this isolate: the guarantee first, then the share of the limit. */
export class OriginAdmission {
  readonly #classes = new Map<string, readonly ClassState[]>()
  readonly #routes: readonly Route[]
  readonly #rateShare: RateShare
  readonly #inFlight: () => number
  readonly #policer: BatchPolicer | null
  readonly #switch: PolicerSwitch
  #hasPlan = false
  #isFailing = false
  #isOpen = true
  #inFlightCap: number | null = null

  constructor(
    routes: readonly Route[],
    nowMs: number,
    coin: () => number,
    inFlight: () => number,
    sizes: InFlightSizes | null = null,
  ) {
    this.#inFlight = inFlight
    this.#routes = routes
    this.#rateShare = new RateShare(nowMs)
    for (const route of routes)
      this.#classes.set(
        route.name,
        route.classes.map(() => new ClassState(route, coin, nowMs)),
      )
    const isBatched = routes.some(({ police }) => police !== 'threshold')
    const classes = routes.reduce((sum, route) => sum + route.classes.length, 0)
    this.#policer = isBatched && sizes !== null ? new BatchPolicer(classes, sizes, coin) : null
    this.#switch = new PolicerSwitch(MOST_BATCHED_PER_SECOND, nowMs)
  }

  get hasPlan(): boolean {
    return this.#hasPlan
  }

  /** Can a request be refused now? Only then does it matter which client asks. */
  get isContested(): boolean {
    return !this.#isOpen
  }

  /** Takes a plan into force. `share` is this isolate's part of all draws. */
  follow(plan: Plan, share: number, nowMs: number): void {
    this.#hasPlan = true
    this.#isFailing = false
    this.#isOpen = plan.drawLimit === null && plan.inFlightCap === null
    this.#inFlightCap = plan.inFlightCap === null ? null : Math.max(1, plan.inFlightCap * share)
    const highestCost = this.#followClasses(plan, share, nowMs)
    this.#rateShare.follow(plan, share, highestCost, nowMs)
    this.#policer?.follow(plan, share)
  }

  /** The coordinator cannot be reached: the routes' `failure` rules apply, with this limit if the rule is `local`. */
  failLocally(limit: number, nowMs: number): void {
    this.#isFailing = true
    this.#isOpen = false
    this.#rateShare.limitTo(limit, nowMs)
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
    const state = this.#classes.get(route.name)![classIndex]!
    const { fair } = state
    if (fair === null || client === null) return this.#drawWithin(route, state, serviceMs, nowMs)
    const verdict = fair.isOverQuota(client, nowMs)
      ? this.#drawOverQuota(route, state, serviceMs, nowMs)
      : this.#drawWithin(route, state, serviceMs, nowMs)
    countForFairness(state, client, verdict, nowMs)
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
    if (policer === null || !this.#isBatched(policer, route, nowMs))
      return this.draw(route, classIndex, nowMs, client, serviceMs)
    const state = this.#classes.get(route.name)![classIndex]!
    const verdict = this.#withoutTest(route, state, client, serviceMs, nowMs)
    if (verdict !== null) {
      countForFairness(state, client, verdict, nowMs)
      return verdict
    }
    // In `observe` no request waits.
    const delayMs = route.mode === 'enforce' ? state.delayMs : 0
    const waiting = policer.add(state, serviceMs, client, delayMs, nowMs)
    if (waiting.dueMs <= nowMs) this.judgeBatches(nowMs)
    if (waiting.verdict !== null || route.mode === 'enforce') return waiting.verdict ?? waiting
    // It would have to wait for a batch of an enforced route with the same rank.
    policer.remove(waiting)
    return this.draw(route, classIndex, nowMs, client, serviceMs)
  }

  /** Decides on every waiting request that is due. The first request to wake calls this for all of them. */
  judgeBatches(nowMs: number): void {
    this.#policer?.judge(nowMs, (waiting, passes) => {
      const { state, serviceMs } = waiting
      // A batch that passes the test must also fit into the limit.
      const isAdmitted = passes && this.#rateShare.admitByTokens(state, serviceMs, nowMs)
      waiting.verdict = isAdmitted ? ADMIT.batch : passes ? REFUSE.share : REFUSE.batch
      countForFairness(state, waiting.client, waiting.verdict, nowMs)
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
    if (this.#isFull()) return REFUSE.full
    // During a short pause of a more important class this one would pass, and take places that the other needs next.
    return state.probability > 0 ? null : REFUSE.share
  }

  #isBatched(policer: BatchPolicer, { police }: Route, nowMs: number): boolean {
    if (police === 'threshold') return false
    if (police === 'auto' && this.#switch.arrive(nowMs) === 'threshold') return false
    return this.#hasPlan && !this.#isFailing && this.#rateShare.isByBucket && policer.isReady
  }

  #drawWithin(route: Route, state: ClassState, serviceMs: number, nowMs: number): Verdict {
    if (this.#isFailing) return this.#byFailureRule(route.failure, state.cost, nowMs)
    if (!this.#hasPlan) return byStartupRule(route.startup)
    state.arrive(serviceMs)
    if (state.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#isFull()) return REFUSE.full
    if (this.#rateShare.isUnlimited && state.probability >= 1) return ADMIT.share
    return this.#rateShare.admitByPlan(state, serviceMs, nowMs) ? ADMIT.share : REFUSE.share
  }

  /** The client has used its quota. It still gets unused capacity. */
  #drawOverQuota(route: Route, state: ClassState, serviceMs: number, nowMs: number): Verdict {
    if (this.#isFailing && route.failure !== 'local')
      return this.#drawWithin(route, state, serviceMs, nowMs)
    const isUnused = !this.#isFailing && this.#rateShare.admitIfUnused(state, serviceMs, nowMs)
    return isUnused ? ADMIT.share : REFUSE.fairness
  }

  #isFull(): boolean {
    return this.#inFlightCap !== null && this.#inFlight() >= this.#inFlightCap
  }

  #byFailureRule(failure: FailureRule, cost: number, nowMs: number): Verdict {
    if (failure === 'open') return ADMIT.open
    if (failure === 'closed') return REFUSE.closed
    return this.#rateShare.admitLocally(cost, nowMs) ? ADMIT.local : REFUSE.local
  }

  /** Returns the highest cost among the classes. */
  #followClasses(plan: Plan, share: number, nowMs: number): number {
    const ranks = Object.values(plan.routes).flatMap((route) =>
      Object.values(route.classes).map(({ rank }) => rank),
    )
    const context = {
      lowestRank: Math.max(1, ...ranks),
      share,
      burst: plan.burst * share,
      load: plan.load,
    }
    let highestCost = 0
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const planned = classes[name]
        if (!planned) continue
        this.#classes.get(route.name)![i]!.follow(planned, context, nowMs)
        if (planned.probability < 1) this.#isOpen = false
        highestCost = Math.max(highestCost, planned.cost)
      }
    }
    return highestCost
  }
}

/** Fairness counts admissions, and refusals for lack of capacity. */
function countForFairness(
  { fair }: ClassState,
  client: number | null,
  verdict: Verdict,
  nowMs: number,
): void {
  if (fair === null || client === null) return
  if (verdict.kind === 'admit') fair.admitted(client, nowMs)
  else if (verdict !== REFUSE.fairness) fair.refused(client, nowMs)
}

function byStartupRule(startup: StartupRule): Verdict {
  return startup === 'refuse' ? REFUSE.startup : ADMIT.startup
}
