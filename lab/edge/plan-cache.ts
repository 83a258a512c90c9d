import { isDue, type PlanCache, type StoredPlan } from '../../src/gate/plan-cache.ts'
import type { Timers } from './timers.ts'

const READ_MS = 2

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

  /** As often as the product's cache, but by what any isolate has stored. */
  async offer(stored: StoredPlan, nowMs: number): Promise<void> {
    const known = this.#stored && {
      atMs: this.#storedAtMs,
      isCalm: this.#stored.plan.calmMs !== undefined,
    }
    if (!isDue(known ?? undefined, stored.plan.calmMs !== undefined, nowMs)) return
    this.#stored = stored
    this.#storedAtMs = nowMs
  }
}
