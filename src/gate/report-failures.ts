import type { PlanPart } from '../admission/plan-part.ts'
import { FailuresInARow } from '../lib/failures-in-a-row.ts'
import type { Feedback, Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { FallbackLimit } from './fallback-limit.ts'
import type { OriginState } from './origin-state.ts'

/** After this many failed reports in a row the routes' `failure` rule applies. */
const FAILURES_BEFORE_RULE = 3

/** Failed reports in a row, and the limit that the isolate learns by itself meanwhile. */
export class ReportFailures {
  readonly #state: OriginState
  readonly #fallback: FallbackLimit
  readonly #failures = new FailuresInARow()

  constructor(state: OriginState, setup: Setup) {
    this.#state = state
    this.#fallback = new FallbackLimit(setup)
  }

  get isAny(): boolean {
    return this.#failures.count > 0
  }

  over(): void {
    this.#failures.over()
  }

  /** `plan` and `part`: what is in force. */
  add(feedback: Feedback, plan: Plan | null, { share }: PlanPart, nowMs: number): void {
    const drawLimit = plan?.drawLimit ?? null
    // A share of 0 only means that this isolate had no draw yet.
    if (!this.isAny)
      this.#fallback.seed(drawLimit === null || share === 0 ? null : drawLimit * share)
    this.#failures.add(nowMs)
    const limit = this.#fallback.learn(feedback, plan)
    if (this.#failures.count >= FAILURES_BEFORE_RULE)
      this.#state.admission.failLocally(limit, nowMs)
  }
}
