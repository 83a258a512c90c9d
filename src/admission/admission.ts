import type { FailureRule, Route, StartupRule } from '../config/config.ts'
import type { InFlightSizes } from '../measure/in-flight-sizes.ts'
import type { Plan } from '../protocol/plan.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { BatchPolicer, type WaitingRequest } from './batch/policer.ts'
import { PolicerSwitch } from './batch/policer-switch.ts'
import { ClassState } from './class-state.ts'
import { RateShare } from './rate-share.ts'

/** Above this many requests per second an isolate with `police: "auto"` goes by the plan alone. */
const MOST_BATCHED_PER_SECOND = 1000

/** Yes or no, for all classes of one origin in this isolate: the guarantee first, then the room. */
export class Admission {
  readonly #rules = new Map<string, readonly ClassState[]>()
  readonly #routes: readonly Route[]
  readonly #rateShare: RateShare
  readonly #inFlight: () => number
  readonly #batch: BatchPolicer | null
  readonly #switch: PolicerSwitch
  #planned = false
  #failing = false
  #isOpen = true
  #isCapped = false
  #mostInService = 0

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
      this.#rules.set(
        route.name,
        route.classes.map(() => new ClassState(route, coin, nowMs)),
      )
    const isBatched = routes.some(({ police }) => police !== 'threshold')
    const classes = routes.reduce((sum, route) => sum + route.classes.length, 0)
    this.#batch = isBatched && sizes !== null ? new BatchPolicer(classes, sizes, coin) : null
    this.#switch = new PolicerSwitch({ mostPerSecond: MOST_BATCHED_PER_SECOND }, nowMs)
  }

  get hasPlan(): boolean {
    return this.#planned
  }

  /** May somebody be refused? Only then does it matter who asks. */
  get isContested(): boolean {
    return !this.#isOpen
  }

  /** Takes a plan into force; `share` is this isolate's part of all draws. */
  follow(plan: Plan, share: number, nowMs: number): void {
    this.#planned = true
    this.#failing = false
    this.#isOpen = plan.drawLimit === null && plan.inFlightCap === null
    this.#isCapped = plan.inFlightCap !== null
    this.#mostInService = Math.max(1, (plan.inFlightCap ?? 0) * share)
    const highestCost = this.#setRules(plan, share, nowMs)
    this.#rateShare.follow(plan, share, highestCost, nowMs)
    this.#batch?.follow(plan, share)
  }

  /** No word from the coordinator: the routes' `failure` rules hold, and this limit where the rule is `local`. */
  failLocally(limit: number, nowMs: number): void {
    this.#failing = true
    this.#isOpen = false
    this.#rateShare.limitTo(limit, nowMs)
  }

  /**
   * A new session or a request asks for admission. `client` is who it is, where somebody could be refused for it;
   * `serviceMs` is its size, where that matters.
   */
  draw(
    route: Route,
    classIndex: number,
    nowMs: number,
    client: number | null = null,
    serviceMs = 0,
  ): Verdict {
    const rule = this.#rules.get(route.name)![classIndex]!
    const { fair } = rule
    if (fair === null || client === null) return this.#decide(route, rule, serviceMs, nowMs)
    const verdict = fair.isTooMuch(client, nowMs)
      ? this.#overdrawn(route, rule, serviceMs, nowMs)
      : this.#decide(route, rule, serviceMs, nowMs)
    note(rule, client, verdict, nowMs)
    return verdict
  }

  /** As `draw`; but the answer may be that the verdict takes a moment: see `judge`. */
  hold(
    route: Route,
    classIndex: number,
    nowMs: number,
    client: number | null,
    serviceMs: number,
  ): Verdict | WaitingRequest {
    const batch = this.#batch
    if (batch === null || !this.#isBatched(batch, route, nowMs))
      return this.draw(route, classIndex, nowMs, client, serviceMs)
    const rule = this.#rules.get(route.name)![classIndex]!
    const verdict = this.#atOnce(route, rule, client, serviceMs, nowMs)
    if (verdict !== null) {
      note(rule, client, verdict, nowMs)
      return verdict
    }
    // Whoever is only watched is not kept waiting.
    const delayMs = route.mode === 'enforce' ? rule.delayMs : 0
    const held = batch.add(rule, serviceMs, client, delayMs, nowMs)
    if (held.dueMs <= nowMs) this.judge(nowMs)
    if (held.verdict !== null || route.mode === 'enforce') return held.verdict ?? held
    // It would have to wait for others of its rank, of a route that is enforced.
    batch.remove(held)
    return this.draw(route, classIndex, nowMs, client, serviceMs)
  }

  /** Gives a verdict to all that were held until now. The first of them to wake calls this for all. */
  judge(nowMs: number): void {
    this.#batch?.judge(nowMs, (held, passes) => {
      const { rule, serviceMs } = held
      // The servers have a place; the limit has the last word.
      const isIn = passes && this.#rateShare.holds(rule, serviceMs, nowMs)
      held.verdict = isIn ? ADMIT.batch : passes ? REFUSE.share : REFUSE.batch
      note(rule, held.client, held.verdict, nowMs)
    })
  }

  /** One that was held has gone. */
  release(held: WaitingRequest): void {
    this.#batch?.remove(held)
  }

  /** What needs no test: a client that has had its part, the guarantee, the cap, a class left out. null: all the rest. */
  #atOnce(
    route: Route,
    rule: ClassState,
    client: number | null,
    serviceMs: number,
    nowMs: number,
  ): Verdict | null {
    if (client !== null && rule.fair?.isTooMuch(client, nowMs))
      return this.#overdrawn(route, rule, serviceMs, nowMs)
    rule.arrive(serviceMs)
    if (rule.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#isFull()) return REFUSE.full
    // A lull in a better class would let it in, and its places would be missing a moment later.
    return rule.probability > 0 ? null : REFUSE.share
  }

  #isBatched(batch: BatchPolicer, { police }: Route, nowMs: number): boolean {
    if (police === 'threshold') return false
    if (police === 'auto' && this.#switch.arrive(nowMs) === 'threshold') return false
    return this.#planned && !this.#failing && this.#rateShare.isOwn && batch.isReady
  }

  #decide(route: Route, rule: ClassState, serviceMs: number, nowMs: number): Verdict {
    if (this.#failing) return this.#byFailure(route.failure, rule.cost, nowMs)
    if (!this.#planned) return byStartup(route.startup)
    rule.arrive(serviceMs)
    if (rule.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#isFull()) return REFUSE.full
    if (this.#rateShare.isUnlimited && rule.probability >= 1) return ADMIT.share
    return this.#rateShare.admits(rule, serviceMs, nowMs) ? ADMIT.share : REFUSE.share
  }

  /** A client has had its part already; what nobody else wants is not kept from it. */
  #overdrawn(route: Route, rule: ClassState, serviceMs: number, nowMs: number): Verdict {
    if (this.#failing && route.failure !== 'local')
      return this.#decide(route, rule, serviceMs, nowMs)
    const takes = !this.#failing && this.#rateShare.spares(rule, serviceMs, nowMs)
    return takes ? ADMIT.share : REFUSE.fairness
  }

  #isFull(): boolean {
    return this.#isCapped && this.#inFlight() >= this.#mostInService
  }

  #byFailure(failure: FailureRule, cost: number, nowMs: number): Verdict {
    if (failure === 'open') return ADMIT.open
    if (failure === 'closed') return REFUSE.closed
    return this.#rateShare.takes(cost, 0, nowMs) ? ADMIT.local : REFUSE.local
  }

  /** Returns the cost of the class whose admissions bring most load. */
  #setRules(plan: Plan, share: number, nowMs: number): number {
    const ranks = Object.values(plan.routes).flatMap((route) =>
      Object.values(route.classes).map(({ rank }) => rank),
    )
    const standing = {
      lowest: Math.max(1, ...ranks),
      burst: plan.burst * share,
      load: plan.load,
    }
    let highestCost = 0
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const given = classes[name]
        if (!given) continue
        this.#rules.get(route.name)![i]!.follow(given, standing, nowMs)
        if (given.probability < 1) this.#isOpen = false
        highestCost = Math.max(highestCost, given.cost)
      }
    }
    return highestCost
  }
}

/** Fairness counts who was let in, and who was not for want of room. */
function note({ fair }: ClassState, client: number | null, verdict: Verdict, nowMs: number): void {
  if (fair === null || client === null) return
  if (verdict.kind === 'admit') fair.admitted(client, nowMs)
  else if (verdict !== REFUSE.fairness) fair.refused(client, nowMs)
}

function byStartup(startup: StartupRule): Verdict {
  return startup === 'refuse' ? REFUSE.startup : ADMIT.startup
}
