import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'

/** A plan with the part of it that an isolate may take that starts in this colo. */
export interface StoredPlan {
  readonly plan: Plan
  readonly fairPart: number
}

/** Stores the newest plan in a colo, for the isolates that start there. */
export interface PlanCache {
  read(origin: string): Promise<StoredPlan | null>
  /** Stores the plan, unless it stored one a few seconds ago. */
  offer(stored: StoredPlan, nowMs: number): Promise<void>
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

  async read(origin: string): Promise<StoredPlan | null> {
    const stored = await this.#cache.match(keyOf(origin))
    if (!stored) return null
    const found = (await stored.json().catch(() => null)) as Partial<StoredPlan> | null
    if (found?.plan?.version !== PLAN_VERSION || found.plan.origin !== origin) return null
    const { fairPart } = found
    return typeof fairPart === 'number' && fairPart >= 0 && fairPart <= 1
      ? (found as StoredPlan)
      : null
  }

  async offer(stored: StoredPlan, nowMs: number): Promise<void> {
    const { origin } = stored.plan
    const storedAtMs = this.#storedAtMs.get(origin) ?? Number.NEGATIVE_INFINITY
    if (nowMs - storedAtMs < STORE_EVERY_MS) return
    this.#storedAtMs.set(origin, nowMs)
    const headers = { 'Cache-Control': `max-age=${STORE_FOR_S}` }
    await this.#cache.put(keyOf(origin), Response.json(stored, { headers })).catch(() => {})
  }
}

/** Clients cannot request this address, because `.invalid` has no server. */
const keyOf = (origin: string): string =>
  `https://plan.tidegate.invalid/${encodeURIComponent(origin)}`
