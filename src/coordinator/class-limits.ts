import type { Decision, Learner, Sample } from '../learners/learner-interface.ts'
import { createLearner } from '../learners/registry.ts'
import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import { isApart } from './class-sla.ts'
import { learnSilence } from './silence.ts'

/** What is learned of a class that is limited by itself: a plain JSON value. */
export interface ClassLimit {
  /** The learner's own state. The learner checks it. */
  readonly learner: unknown
  readonly decision: Decision
}

/** By class key. */
export type ClassLimitStates = Readonly<Record<string, ClassLimit>>

/** The learners of the classes that are limited by themselves. They are of the same kind as the origin's. */
export class ClassLimits {
  readonly #learners = new Map<string, Learner>()
  #states: ClassLimitStates = {}

  get states(): ClassLimitStates {
    return this.#states
  }

  /** What was learned is kept, as far as the new setup's learner can use it. */
  adopt(setup: Setup, from: ClassLimitStates = {}): void {
    const states: Record<string, ClassLimit> = {}
    this.#learners.clear()
    for (const key of apartKeys(setup)) {
      const { learner } = createLearner(setup.learner, from[key]?.learner)
      this.#learners.set(key, learner)
      const decision = from[key]?.decision ?? { limit: null, reason: 'cold' }
      states[key] = { learner: learner.state, decision }
    }
    this.#states = states
  }

  /** `sampleOf` has what the tick showed of one class. `silentMs`: there was no report for so long before. */
  tick(tickMs: number, silentMs: number, sampleOf: (key: string) => Sample): void {
    if (this.#learners.size === 0) return
    const states: Record<string, ClassLimit> = {}
    for (const [key, learner] of this.#learners) {
      const sample = sampleOf(key)
      learnSilence(learner, sample, tickMs, silentMs)
      const decision = learner.update(sample)
      states[key] = { learner: learner.state, decision }
    }
    this.#states = states
  }
}

export function withDecisions(
  states: ClassLimitStates,
  decide: (decision: Decision, key: string) => Decision,
): ClassLimitStates {
  const decided = Object.entries(states).map(
    ([key, one]) => [key, { ...one, decision: decide(one.decision, key) }] as const,
  )
  return Object.fromEntries(decided)
}

function apartKeys({ routes }: Setup): string[] {
  return routes.flatMap((route) =>
    route.classes
      .filter((one) => isApart(route, one))
      .map(({ name }) => classKey(route.name, name)),
  )
}
