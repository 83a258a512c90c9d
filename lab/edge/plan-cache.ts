import type { PlanCache, StoredPlan } from '../../src/gate/plan-cache.ts'
import type { Timers } from './timers.ts'

const READ_MS = 2
/** As often as the product's cache. */
const STORE_EVERY_MS = 5000

/** The cache of one colo in simulated time. */
export class LabPlanCache implements PlanCache {
  readonly #timers: Timers
  #stored: StoredPlan | null = null
  #storedAtMs = Number.NEGATIVE_INFINITY

  constructor(timers: Timers) {
    this.#timers = timers
  }

  async read(): Promise<StoredPlan | null> {
    await this.#timers.sleep(READ_MS)
    return this.#stored
  }

  async offer(stored: StoredPlan, nowMs: number): Promise<void> {
    const isCalmOver = this.#stored?.plan.calmMs !== undefined && stored.plan.calmMs === undefined
    if (nowMs - this.#storedAtMs < STORE_EVERY_MS && !isCalmOver) return
    this.#stored = stored
    this.#storedAtMs = nowMs
  }
}
