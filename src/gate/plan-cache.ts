import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'

/** Where a colo keeps its newest plan, for the isolates that start there. */
export interface PlanCache {
  read(origin: string): Promise<Plan | null>
  /** Keeps the plan unless it kept one a moment ago. */
  offer(plan: Plan, nowMs: number): Promise<void>
}

const KEEP_EVERY_MS = 5000
const KEEP_FOR_S = 60

/** The Cache API of Workers: one per colo. */
export class ColoPlanCache implements PlanCache {
  readonly #cache: Cache
  /** By origin. */
  readonly #keptAtMs = new Map<string, number>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  async read(origin: string): Promise<Plan | null> {
    const kept = await this.#cache.match(keyOf(origin))
    if (!kept) return null
    const plan = (await kept.json()) as Plan
    return plan.version === PLAN_VERSION ? plan : null
  }

  async offer(plan: Plan, nowMs: number): Promise<void> {
    const keptAtMs = this.#keptAtMs.get(plan.origin) ?? Number.NEGATIVE_INFINITY
    if (nowMs - keptAtMs < KEEP_EVERY_MS) return
    this.#keptAtMs.set(plan.origin, nowMs)
    const headers = { 'Cache-Control': `max-age=${KEEP_FOR_S}` }
    await this.#cache.put(keyOf(plan.origin), Response.json(plan, { headers })).catch(() => {})
  }
}

/** No client can ask for this: requests to it never leave the cache. */
const keyOf = (origin: string): string =>
  `https://plan.tidegate.invalid/${encodeURIComponent(origin)}`
