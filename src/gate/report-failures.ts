import type { PlanPart } from '../admission/plan-part.ts'
import type { Feedback, Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { FallbackLimit } from './fallback-limit.ts'
import type { OriginState } from './origin-state.ts'

/** After this many failed reports in a row the routes' `failure` rule applies. */
const FAILURES_BEFORE_RULE = 3
/** Draws may send many reports in a second. What fails within this time has failed once. */
const TOGETHER_MS = 900

/** Failed reports in a row, and the limit that the isolate learns by itself meanwhile. */
export class ReportFailures {
  readonly #state: OriginState
  readonly #fallback: FallbackLimit
  #count = 0
  #countedAtMs = Number.NEGATIVE_INFINITY

  constructor(state: OriginState, setup: Setup) {
    this.#state = state
    this.#fallback = new FallbackLimit(setup)
  }

  get isAny(): boolean {
    return this.#count > 0
  }

  over(): void {
    this.#count = 0
  }

  /** `plan` and `part`: what is in force. */
  add(feedback: Feedback, plan: Plan | null, { share }: PlanPart, nowMs: number): void {
    const drawLimit = plan?.drawLimit ?? null
    // A share of 0 only means that this isolate had no draw yet.
    if (this.#count === 0)
      this.#fallback.seed(drawLimit === null || share === 0 ? null : drawLimit * share)
    // A clock may be set back.
    if (this.#count === 0 || Math.abs(nowMs - this.#countedAtMs) >= TOGETHER_MS) {
      this.#count++
      this.#countedAtMs = nowMs
    }
    const limit = this.#fallback.learn(feedback)
    if (this.#count >= FAILURES_BEFORE_RULE) this.#state.admission.failLocally(limit, nowMs)
  }
}
