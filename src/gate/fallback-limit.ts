import { buildSample } from '../coordinator/build-sample.ts'
import { AimdLearner } from '../learners/aimd/learner.ts'
import type { Feedback, Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'

/** If nothing is known: the start value of the `aimd` learner. */
const UNKNOWN_LIMIT = 10

/** A limit that an isolate learns by itself while the coordinator cannot be reached (`failure: "local"`). */
export class FallbackLimit {
  readonly #setup: Setup
  #learner: AimdLearner | null = null
  #limit = UNKNOWN_LIMIT

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Starts from this isolate's share of the last plan's limit; null: the plan had no limit. */
  seed(limit: number | null): void {
    this.#limit = limit ?? UNKNOWN_LIMIT
    this.#learner = null
  }

  /** Learns from a report that was not delivered; returns the new limit. `plan`: the last one, whose targets are in force. */
  learn(feedback: Feedback, plan: Plan | null): number {
    this.#learner ??= new AimdLearner({ start: this.#limit })
    const sample = buildSample({
      setup: this.#setup,
      routes: feedback.routes,
      lengthMs: Math.max(1, feedback.toMs - feedback.fromMs),
      targetOf: ({ name, sla }) => plan?.routes[name]?.targetMs ?? sla.targets[0]!.targetMs,
      capacity: [],
    })
    this.#limit = this.#learner.update(sample).limit ?? this.#limit
    return this.#limit
  }
}
