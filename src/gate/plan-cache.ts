import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'

/** A plan with the part of it that an isolate may take that starts in this colo. */
export interface StoredPlan {
  readonly plan: Plan
  readonly fairPart: number
  /** When the relay gave it as the newest plan. Absent: nobody knows. */
  readonly confirmedAtMs?: number
}

/** Stores the newest plan in a colo, for the isolates that start there, and in calm for all. */
export interface PlanCache {
  read(origin: string): Promise<StoredPlan | null>
  /** Stores the plan, unless the stored one will do for now. The end of calm is stored at once. */
  offer(stored: StoredPlan, nowMs: number): Promise<void>
}

const STORE_EVERY_MS = 5000
/** In calm isolates look here whether their plan is the newest. */
const STORE_EVERY_IN_CALM_MS = 1000
const STORE_FOR_S = 60

/** What is known to be in the cache. */
interface Known {
  readonly atMs: number
  readonly isCalm: boolean
}

/** The Cache API of Workers: one per colo. */
export class ColoPlanCache implements PlanCache {
  readonly #cache: Cache
  /** By origin. */
  readonly #known = new Map<string, Known>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  async read(origin: string): Promise<StoredPlan | null> {
    const stored = await this.#cache.match(keyOf(origin))
    if (!stored) return null
    const found = (await stored.json().catch(() => null)) as Partial<StoredPlan> | null
    if (found?.plan?.version !== PLAN_VERSION || found.plan.origin !== origin) return null
    const { plan, fairPart, confirmedAtMs } = found
    if (!(typeof fairPart === 'number' && fairPart >= 0 && fairPart <= 1)) return null
    if (typeof confirmedAtMs !== 'number') return { plan, fairPart }
    return { plan, fairPart, confirmedAtMs }
  }

  async offer(stored: StoredPlan, nowMs: number): Promise<void> {
    const { origin, calmMs } = stored.plan
    const isCalm = calmMs !== undefined
    if (!isDue(this.#known.get(origin), isCalm, nowMs)) return
    this.#known.set(origin, { atMs: nowMs, isCalm })
    const headers = { 'Cache-Control': `max-age=${STORE_FOR_S}` }
    await this.#cache.put(keyOf(origin), Response.json(stored, { headers })).catch(() => {})
  }
}

/** Is it time to store a plan again? `known`: what was stored last. */
export function isDue(known: Known | undefined, isCalm: boolean, nowMs: number): boolean {
  if (known === undefined || (known.isCalm && !isCalm)) return true
  const sinceMs = nowMs - known.atMs
  return !(sinceMs >= 0) || sinceMs >= (isCalm ? STORE_EVERY_IN_CALM_MS : STORE_EVERY_MS)
}

/** Clients cannot request this address, because `.invalid` has no server. */
const keyOf = (origin: string): string =>
  `https://plan.tidegate.invalid/${encodeURIComponent(origin)}`
