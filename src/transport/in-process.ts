import { Brain } from '../coordinator/coordinator-core.ts'
import type { Answer, CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** The coordinator in the same process: for a server on one machine, where there is nothing to coordinate with. */
export class InProcessCoordinator implements CoordinatorPort {
  readonly #brains = new Map<string, Brain>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  report(feedback: Feedback): Promise<Answer> {
    const nowMs = this.#now()
    const brain = this.brain(feedback.origin)
    const { share } = brain.report(feedback, nowMs)
    brain.tickIfDue(nowMs)
    return Promise.resolve({ plan: brain.plan, share })
  }

  brain(origin: string): Brain {
    let brain = this.#brains.get(origin)
    if (!brain) {
      brain = new Brain()
      this.#brains.set(origin, brain)
    }
    return brain
  }
}
