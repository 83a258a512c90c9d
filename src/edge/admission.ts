import type { FailureRule, Route, StartupRule } from '../config/types.ts'
import type { Plan } from '../plan.ts'
import { ClassRule } from './class-rule.ts'
import { TokenBucket } from './token-bucket.ts'
import { ADMIT, REFUSE, type Verdict } from './verdict.ts'

/** From this much load per second on, a share of the room is enough to be held by a bucket of its own. */
const OWN_BUCKET_FROM = 5
/** An isolate that sees nearly everything holds the room itself, however small it is. */
const NEARLY_ALL = 0.95
/**
 * Where draws hold the room, a bucket this many times as wide only stops a surge that the plan does not know of
 * yet; the rest lets a quiet isolate have its chance arrivals.
 */
const SURGE_FACTOR = 2
const QUIET_RATE = 0.25
/** The least depth of a bucket, in admissions: less would refuse in calm (control notes, 2.7). */
const LEAST_DEPTH = 3
const CHANCE_SIGMA = 2
/** The part of the bucket that is left to all others by whom the plan would not let in. */
const SPARE_RESERVE = 0.75

/**
 * Yes or no, for all classes of one origin in this isolate: the guarantee first, then the room.
 *
 * The room is held by a bucket where this isolate's share of it is large enough, because a bucket holds in
 * the same second in which a surge comes. Where the share is small, dithered draws by the plan's
 * probability hold it on the sum over all isolates.
 */
export class Admission {
  readonly #rules = new Map<string, readonly ClassRule[]>()
  readonly #routes: readonly Route[]
  readonly #bucket: TokenBucket
  readonly #inService: () => number
  #planned = false
  #failing = false
  #isUnlimited = true
  #isOpen = true
  #ownBucket = false
  #isCapped = false
  #mostInService = 0
  /** So deep that every class fits in more than once. */
  #leastDepth = LEAST_DEPTH

  constructor(
    routes: readonly Route[],
    nowMs: number,
    coin: () => number,
    inService: () => number,
  ) {
    this.#inService = inService
    this.#routes = routes
    this.#bucket = new TokenBucket(nowMs)
    for (const route of routes)
      this.#rules.set(
        route.name,
        route.classes.map(() => new ClassRule(route, coin, nowMs)),
      )
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
    const room = plan.room === null ? null : plan.room * share
    this.#isUnlimited = room === null
    this.#isOpen = room === null && plan.inFlight === null
    this.#ownBucket = room !== null && (room >= OWN_BUCKET_FROM || share >= NEARLY_ALL)
    this.#isCapped = plan.inFlight !== null
    this.#mostInService = Math.max(1, (plan.inFlight ?? 0) * share)
    this.#leastDepth = this.#setRules(plan, share, nowMs)
    if (room === null) return
    const rate = this.#ownBucket ? room : SURGE_FACTOR * room + QUIET_RATE
    this.#bucket.set(rate, this.#depth(plan.burst, room, share), nowMs)
  }

  /**
   * An isolate that sees a part of the traffic sees its chance bursts, too: a second's worth of them must fit,
   * or it would refuse in calm while others have room.
   */
  #depth(burst: number, room: number, share: number): number {
    const chance = share >= NEARLY_ALL ? 0 : CHANCE_SIGMA * Math.sqrt(room)
    return Math.max(burst * share, this.#leastDepth + chance)
  }

  /** No word from the coordinator: the routes' `failure` rules hold, and this limit where the rule is `local`. */
  failLocally(limit: number, nowMs: number): void {
    this.#failing = true
    this.#isOpen = false
    this.#bucket.set(limit, Math.max(this.#leastDepth, limit / 4), nowMs)
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
    if (verdict.kind === 'admit') fair.admitted(client, nowMs)
    else if (verdict !== REFUSE.fairness) fair.refused(client, nowMs)
    return verdict
  }

  #decide(route: Route, rule: ClassRule, serviceMs: number, nowMs: number): Verdict {
    if (this.#failing) return this.#byFailure(route.failure, rule.cost, nowMs)
    if (!this.#planned) return byStartup(route.startup)
    rule.arrive(serviceMs)
    if (rule.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#isCapped && this.#inService() >= this.#mostInService) return REFUSE.full
    if (this.#isUnlimited && rule.probability >= 1) return ADMIT.share
    const admitted = this.#ownBucket
      ? rule.probability > 0 && this.#fits(rule, serviceMs, nowMs)
      : rule.draw(serviceMs) && this.#passesGuard(rule.costOf(serviceMs), nowMs)
    return admitted ? ADMIT.share : REFUSE.share
  }

  /** Where small ones come first, large ones have what these leave. */
  #fits(rule: ClassRule, serviceMs: number, nowMs: number): boolean {
    if (!rule.picks) return this.#bucket.take(rule.cost, rule.reserve, nowMs)
    const cost = rule.costOf(serviceMs)
    return rule.draw(serviceMs)
      ? this.#bucket.take(Math.min(cost, this.#bucket.depth - rule.reserve), rule.reserve, nowMs)
      : this.#takesSpare(rule, cost, nowMs)
  }

  /** A client has had its part already; what nobody else wants is not kept from it. */
  #overdrawn(route: Route, rule: ClassRule, serviceMs: number, nowMs: number): Verdict {
    if (this.#failing && route.failure !== 'local')
      return this.#decide(route, rule, serviceMs, nowMs)
    const takes = this.#ownBucket && !this.#failing && rule.probability > 0
    return takes && this.#takesSpare(rule, rule.costOf(serviceMs), nowMs)
      ? ADMIT.share
      : REFUSE.fairness
  }

  #takesSpare(rule: ClassRule, cost: number, nowMs: number): boolean {
    const { depth } = this.#bucket
    const reserve = Math.max(rule.reserve, SPARE_RESERVE * depth)
    // A full bucket is there for anything.
    return this.#bucket.take(cost, Math.min(reserve, Math.max(0, depth - cost)), nowMs)
  }

  /** An isolate that has not drawn yet does not know its share, and has nothing to guard by. */
  #passesGuard(cost: number, nowMs: number): boolean {
    return this.#isUnlimited || this.#bucket.rate <= QUIET_RATE || this.#bucket.take(cost, 0, nowMs)
  }

  #byFailure(failure: FailureRule, cost: number, nowMs: number): Verdict {
    if (failure === 'open') return ADMIT.open
    if (failure === 'closed') return REFUSE.closed
    return this.#bucket.take(cost, 0, nowMs) ? ADMIT.local : REFUSE.local
  }

  /** Returns the least depth that the bucket needs. */
  #setRules(plan: Plan, share: number, nowMs: number): number {
    const ranks = Object.values(plan.routes).flatMap((route) =>
      Object.values(route.classes).map(({ rank }) => rank),
    )
    const standing = {
      lowest: Math.max(1, ...ranks),
      burst: plan.burst * share,
      load: plan.load,
    }
    let leastDepth = LEAST_DEPTH
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const given = classes[name]
        if (!given) continue
        this.#rules.get(route.name)![i]!.follow(given, standing, nowMs)
        if (given.probability < 1) this.#isOpen = false
        leastDepth = Math.max(leastDepth, LEAST_DEPTH * given.cost)
      }
    }
    return leastDepth
  }
}

function byStartup(startup: StartupRule): Verdict {
  return startup === 'refuse' ? REFUSE.startup : ADMIT.startup
}
