import type { FailureRule, Route, StartupRule } from '../config/types.ts'
import type { ClassPlan, Plan } from '../plan.ts'
import { Dither } from './dither.ts'
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
/** The part of the bucket that the least important class leaves to the others. */
const LARGEST_RESERVE = 0.5

/** How one class is judged now: what the plan says, made ready. */
interface ClassRule {
  readonly dither: Dither
  readonly guarantee: Guarantee
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
          probability: 1,
          cost: 1,
          reserve: 0,
        })),
      )
  }

  get hasPlan(): boolean {
    return this.#planned
  }

  /** Takes a plan into force; `share` is this isolate's part of all draws. */
  follow(plan: Plan, share: number, nowMs: number): void {
    this.#planned = true
    this.#failing = false
    const room = plan.room === null ? null : plan.room * share
    this.#isUnlimited = room === null
    this.#ownBucket = room !== null && (room >= OWN_BUCKET_FROM || share >= NEARLY_ALL)
    this.#isCapped = plan.inFlight !== null
    this.#mostInService = Math.max(1, (plan.inFlight ?? 0) * share)
    this.#leastDepth = this.#setRules(plan, share, nowMs)
    const depth = Math.max(plan.burst * share, this.#leastDepth)
    if (room !== null)
      this.#bucket.set(this.#ownBucket ? room : SURGE_FACTOR * room + QUIET_RATE, depth, nowMs)
  }

  /** No word from the coordinator: the routes' `failure` rules hold, and this limit where the rule is `local`. */
  failLocally(limit: number, nowMs: number): void {
    this.#failing = true
    this.#bucket.set(limit, Math.max(this.#leastDepth, limit / 4), nowMs)
  }

  /** A new session or a request asks for admission. */
  draw(route: Route, classIndex: number, nowMs: number): Verdict {
    const rule = this.#rules.get(route.name)![classIndex]!
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
