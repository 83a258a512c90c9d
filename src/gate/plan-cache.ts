import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'

/** A plan with the part of it that an isolate may take that starts in this colo. */
export interface StoredPlan {
  readonly plan: Plan
  readonly fairPart: number
}

/** Stores the newest plan in a colo, for the isolates that start there. */
export interface PlanCache {
  read(origin: string): Promise<StoredPlan | null>
  /** Stores the plan, unless it stored one a few seconds ago. The end of calm is stored at once. */
  offer(stored: StoredPlan, nowMs: number): Promise<void>
}

const STORE_EVERY_MS = 5000
const STORE_FOR_S = 60

/** The Cache API of Workers: one per colo. */
export class ColoPlanCache implements PlanCache {
  readonly #cache: Cache
  /** What was stored last, by origin. */
  readonly #last = new Map<string, { readonly atMs: number; readonly isCalm: boolean }>()

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
    const { origin, calmMs } = stored.plan
    const isCalm = calmMs !== undefined
    const last = this.#last.get(origin)
    if (last && nowMs - last.atMs < STORE_EVERY_MS && isCalm >= last.isCalm) return
    this.#last.set(origin, { atMs: nowMs, isCalm })
    const headers = { 'Cache-Control': `max-age=${STORE_FOR_S}` }
    await this.#cache.put(keyOf(origin), Response.json(stored, { headers })).catch(() => {})
  }
}

/** Clients cannot request this address, because `.invalid` has no server. */
const keyOf = (origin: string): string =>
  `https://plan.tidegate.invalid/${encodeURIComponent(origin)}`
