import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'

/** Stores the newest plan in a colo, for the isolates that start there. */
export interface PlanCache {
  read(origin: string): Promise<Plan | null>
  /** Stores the plan, unless it stored one a few seconds ago. */
  offer(plan: Plan, nowMs: number): Promise<void>
}

const STORE_EVERY_MS = 5000
const STORE_FOR_S = 60

/** The Cache API of Workers: one per colo. */
export class ColoPlanCache implements PlanCache {
  readonly #cache: Cache
  /** By origin. */
  readonly #storedAtMs = new Map<string, number>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  async read(origin: string): Promise<Plan | null> {
    const stored = await this.#cache.match(keyOf(origin))
    if (!stored) return null
    const plan = (await stored.json()) as Plan
    return plan.version === PLAN_VERSION ? plan : null
  }

  async offer(plan: Plan, nowMs: number): Promise<void> {
    const storedAtMs = this.#storedAtMs.get(plan.origin) ?? Number.NEGATIVE_INFINITY
    if (nowMs - storedAtMs < STORE_EVERY_MS) return
    this.#storedAtMs.set(plan.origin, nowMs)
    const headers = { 'Cache-Control': `max-age=${STORE_FOR_S}` }
    await this.#cache.put(keyOf(plan.origin), Response.json(plan, { headers })).catch(() => {})
  }
}

/** Clients cannot request this address, because `.invalid` has no server. */
const keyOf = (origin: string): string =>
  `https://plan.tidegate.invalid/${encodeURIComponent(origin)}`
