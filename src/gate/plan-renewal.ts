import type { Background, Runtime } from '../lib/runtime.ts'
import { newerPlan, type Plan } from '../protocol/plan.ts'
import type { OriginState } from './origin-state.ts'
import type { PlanConfirmation } from './plan-confirmation.ts'
import type { PlanWait } from './plan-wait.ts'
import type { ReportPace } from './report-pace.ts'

/** If a report is not answered within this time, the coordinator may be far away. The relay itself answers sooner. */
const SOON_MS = 50

/** The reports of the isolate, as far as those who wait for a plan need them. */
interface Reports {
  /** Is a report on its way whose answer can still be expected? */
  isOnItsWay(): boolean
  isAnyUnanswered(): boolean
  /** How many answers have come so far. */
  answers(): number
  /** Resolves with the answer to the report that was sent last. */
  current(): Promise<void>
  /** Sends a report for a visitor who waits. `wantsFor`: the key of its class. */
  send(wantsFor?: string): void
  plan(): Plan | null
  /** Follows the plan of the data centre's cache. */
  followCached(): Promise<void>
  /** Follows a plan of which this isolate does not know its share. */
  followShared(plan: Plan): void
  /** A question has failed. */
  failed(error: unknown): void
}

interface RenewalParts {
  readonly state: OriginState
  readonly runtime: Runtime
  readonly pace: ReportPace
  readonly wait: PlanWait
  readonly confirmation: PlanConfirmation
  readonly reports: Reports
}

/** Gets a newer plan for visitors who need one: by a report, or in calm by a look at the cache or a question to the relay. */
export class PlanRenewal {
  readonly #parts: RenewalParts
  /** The last look whether the plan is the newest. */
  #looking: Promise<void> = Promise.resolve()

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  /** Waits for the answer to a report, and goes by the plan of the colo's cache if it does not come. */
  ask(usesCache: boolean, wantsFor?: string): Promise<void> {
    return this.#byReport(usesCache, false, this.#parts.runtime.now(), wantsFor)
  }

  /** Waits until the plan in force is known to be the newest. If it takes too long, the old plan stays in force. */
  renew(background: Background, usesCache: boolean): Promise<void> {
    const { state, runtime, pace, reports } = this.#parts
    const nowMs = runtime.now()
    const isStale = state.admission.isStale(nowMs)
    const isSent = reports.isOnItsWay()
    // A busy isolate whose report is late: its plan is of the last two seconds and stays in force.
    if (!pace.isCalm && !isStale && !isSent && reports.isAnyUnanswered()) return Promise.resolve()
    const isByLook = pace.isCalm && !isStale && !isSent
    const looks = pace.isCalm || isStale
    const renewed = isByLook ? this.#byLook(nowMs) : this.#byReport(usesCache, looks, nowMs)
    background.waitUntil(renewed)
    return renewed
  }

  /** `looks`: the limit of an older plan does not matter, but what is commanded since then does. */
  async #byReport(
    usesCache: boolean,
    looks: boolean,
    sinceMs: number,
    wantsFor?: string,
  ): Promise<void> {
    const { state, wait, reports } = this.#parts
    if (wait.isInVain(sinceMs)) return
    if (!reports.isOnItsWay()) reports.send(wantsFor)
    const cached = usesCache && state.admission.isStale(sinceMs) ? reports.followCached() : null
    if (looks && (await this.#answer(sinceMs, SOON_MS))) return
    const looked = looks ? this.#look(sinceMs) : null
    if (await this.#answer(sinceMs)) return
    wait.missed()
    await cached
    await looked
  }

  async #byLook(sinceMs: number): Promise<void> {
    const { pace, wait, reports } = this.#parts
    if (wait.isInVain(sinceMs)) return
    const hasEnded = await this.#look(sinceMs)
    if (hasEnded && pace.isCalm) return
    // The answer to a report has this isolate's share of the new plan.
    if (hasEnded && !reports.isOnItsWay()) reports.send()
    if (!hasEnded || !(await this.#answer(sinceMs))) wait.missed()
  }

  #answer(sinceMs: number, longestMs?: number): Promise<boolean> {
    const { wait, reports } = this.#parts
    const before = reports.answers()
    return wait.until(reports.current(), () => reports.answers() !== before, sinceMs, longestMs)
  }

  /** Those who come at the same time share one look. False: it has not ended in time. */
  #look(sinceMs: number): Promise<boolean> {
    const { runtime, wait, confirmation } = this.#parts
    const before = confirmation.ended
    if (!confirmation.isUnderWay(runtime.now())) this.#looking = this.#follow()
    return wait.until(this.#looking, () => confirmation.ended !== before, sinceMs)
  }

  async #follow(): Promise<void> {
    const { pace, confirmation, reports } = this.#parts
    const current = reports.plan()
    if (current === null) return
    const before = reports.answers()
    try {
      const changed = await confirmation.look(current)
      if (changed === null) return
      pace.endCalm()
      const { plan } = changed
      // The answer to a report may have come meanwhile, or a later plan.
      const isNewest = plan !== null && newerPlan(reports.plan(), plan) === plan
      if (isNewest && reports.answers() === before) reports.followShared(plan)
    } catch (error) {
      reports.failed(error)
    }
  }
}
