import { buildSample } from '../coordinator/build-sample.ts'
import { AimdLearner } from '../learners/aimd/learner.ts'
import type { Feedback, RouteSetup, Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { ownKeysOf, SHARED } from '../protocol/plan-limits.ts'

/** If nothing is known: the start value of the `aimd` learner. */
const UNKNOWN_LIMIT = 10

/** By the name of the limit; null: the plan had no limit. */
type Seeds = ReadonlyMap<string, number | null>

/**
 * Limits that an isolate learns by itself while the coordinator cannot be reached (`failure: "local"`): one for the classes
 * that share the limit of the origin, and one for each class that is limited by itself.
 */
export class FallbackLimit {
  readonly #setup: Setup
  readonly #learners = new Map<string, AimdLearner>()
  readonly #limits = new Map<string, number>()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Starts from this isolate's share of the last plan's limits. */
  seed(seeds: Seeds): void {
    this.#learners.clear()
    this.#limits.clear()
    for (const [name, limit] of seeds) this.#limits.set(name, limit ?? UNKNOWN_LIMIT)
  }

  /** Learns from a report that was not delivered; returns the new limits. `plan`: the last one, whose targets are in force. */
  learn(feedback: Feedback, plan: Plan | null): ReadonlyMap<string, number> {
    const own = plan === null ? [] : ownKeysOf(plan)
    this.#learn(SHARED, feedback, plan, (key) => !own.includes(key))
    for (const name of own) this.#learn(name, feedback, plan, (key) => key === name)
    return this.#limits
  }

  #learn(
    name: string,
    feedback: Feedback,
    plan: Plan | null,
    isIn: (key: string) => boolean,
  ): void {
    const before = this.#limits.get(name) ?? UNKNOWN_LIMIT
    const learner = this.#learners.get(name) ?? new AimdLearner({ start: before })
    this.#learners.set(name, learner)
    const sample = buildSample({
      setup: this.#setup,
      routes: feedback.routes,
      lengthMs: Math.max(1, feedback.toMs - feedback.fromMs),
      targetOf: (route, klass) => targetMs(plan, route, klass),
      isIn,
      capacity: [],
    })
    this.#limits.set(name, learner.update(sample).limit ?? before)
  }
}

type ClassSetup = RouteSetup['classes'][number]

/** The target in force of a class: its own, or its route's. */
function targetMs(plan: Plan | null, route: RouteSetup, { name, sla }: ClassSetup): number {
  const planned = plan?.routes[route.name]
  const own = planned?.classes[name]?.targetMs ?? sla?.targets[0]?.targetMs
  return own ?? planned?.targetMs ?? route.sla.targets[0]!.targetMs
}
