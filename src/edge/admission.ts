import type { FailureRule, Route, StartupRule } from '../config/types.ts'
import type { ClassPlan, Plan } from '../plan.ts'
import { Dither } from './dither.ts'
import { FairShare } from './fair-share.ts'
import { Guarantee } from './guarantee.ts'
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
/** The part of the bucket that the least important class leaves to the others. */
const LARGEST_RESERVE = 0.5
/** What a client that has its part already leaves to all others. */
const UNFAIR_RESERVE = 0.75

/** How one class is judged now: what the plan says, made ready. */
interface ClassRule {
  readonly dither: Dither
  readonly guarantee: Guarantee
  /** null: one client may have all. */
  readonly fair: FairShare | null
  probability: number
  cost: number
  reserve: number
}

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
        route.classes.map(() => ({
          dither: new Dither(coin()),
          guarantee: new Guarantee(coin(), nowMs),
          fair: route.fairness === null ? null : new FairShare(route.fairness, coin(), nowMs),
          probability: 1,
          cost: 1,
          reserve: 0,
        })),
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

  /** A new session or a request asks for admission; `client` is who it is, where somebody could be refused for it. */
  draw(route: Route, classIndex: number, nowMs: number, client: number | null = null): Verdict {
    const rule = this.#rules.get(route.name)![classIndex]!
    const { fair } = rule
    if (fair === null || client === null) return this.#decide(route, rule, nowMs)
    const verdict = fair.isTooMuch(client, nowMs)
      ? this.#leftOver(rule, nowMs)
      : this.#decide(route, rule, nowMs)
    if (verdict.kind === 'admit') fair.admitted(client, nowMs)
    else if (verdict !== REFUSE.fairness) fair.refused(client, nowMs)
    return verdict
  }

  #decide(route: Route, rule: ClassRule, nowMs: number): Verdict {
    if (this.#failing) return this.#byFailure(route.failure, rule.cost, nowMs)
    if (!this.#planned) return byStartup(route.startup)
    if (rule.guarantee.take(nowMs)) return ADMIT.guaranteed
    if (this.#isCapped && this.#inService() >= this.#mostInService) return REFUSE.full
    if (this.#isUnlimited && rule.probability >= 1) return ADMIT.share
    const admitted = this.#ownBucket
      ? rule.probability > 0 && this.#bucket.take(rule.cost, rule.reserve, nowMs)
      : rule.dither.draw(rule.probability) && this.#passesGuard(rule.cost, nowMs)
    return admitted ? ADMIT.share : REFUSE.share
  }

  /** What nobody else wants is not kept from those who have had their part. */
  #leftOver(rule: ClassRule, nowMs: number): Verdict {
    const { cost, probability } = rule
    if (!this.#ownBucket || this.#failing || probability === 0) return REFUSE.fairness
    const { depth } = this.#bucket
    const reserve = Math.max(rule.reserve, Math.min(UNFAIR_RESERVE * depth, depth - cost))
    return this.#bucket.take(cost, reserve, nowMs) ? ADMIT.share : REFUSE.fairness
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
    const lowest = Math.max(1, ...ranks)
    const bucketDepth = plan.burst * share
    let leastDepth = LEAST_DEPTH
    for (const route of this.#routes) {
      const classes = plan.routes[route.name]?.classes
      if (!classes) continue
      for (const [i, { name }] of route.classes.entries()) {
        const given: ClassPlan | undefined = classes[name]
        if (!given) continue
        const rule = this.#rules.get(route.name)![i]!
        rule.probability = given.probability
        if (given.probability < 1) this.#isOpen = false
        rule.cost = given.cost
        rule.reserve = (given.rank / lowest) * LARGEST_RESERVE * bucketDepth
        rule.guarantee.set(given.conforming, given.guaranteed, nowMs)
        leastDepth = Math.max(leastDepth, LEAST_DEPTH * given.cost)
      }
    }
    return leastDepth
  }
}

function byStartup(startup: StartupRule): Verdict {
  return startup === 'refuse' ? REFUSE.startup : ADMIT.startup
}
