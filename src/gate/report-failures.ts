import { type PlanPart, partOf } from '../admission/plan-part.ts'
import { FailuresInARow } from '../lib/failures-in-a-row.ts'
import type { Feedback, Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { limitsOf, SHARED } from '../protocol/plan-limits.ts'
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
  add(feedback: Feedback, plan: Plan | null, part: PlanPart, nowMs: number): void {
    if (!this.isAny) this.#fallback.seed(plan === null ? NOTHING : heldLimits(plan, part))
    this.#failures.add(nowMs)
    const limits = this.#fallback.learn(feedback, plan)
    if (this.#failures.count >= FAILURES_BEFORE_RULE)
      this.#state.admission.failLocally(limits.get(SHARED)!, nowMs, limits)
  }
}

const NOTHING: ReadonlyMap<string, number | null> = new Map()

/** This isolate's share of each limit. A share of 0 only means that it had no draw yet. */
function heldLimits(plan: Plan, part: PlanPart): ReadonlyMap<string, number | null> {
  const held = [...limitsOf(plan)].map(([name, { drawLimit }]) => {
    const { share } = name === SHARED ? part : partOf(part, name)
    return [name, drawLimit === null || share === 0 ? null : drawLimit * share] as const
  })
  return new Map(held)
}
