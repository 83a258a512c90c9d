import { CoordinatorCore } from '../coordinator/coordinator-core.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** The coordinator in the same process: for a server on one machine, where there is nothing to coordinate with. */
export class InProcessCoordinator implements CoordinatorPort {
  readonly #cores = new Map<string, CoordinatorCore>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    const nowMs = this.#now()
    const core = this.core(feedback.origin)
    const { share } = core.report(feedback, nowMs)
    core.tickIfDue(nowMs)
    return Promise.resolve({ plan: core.plan, share })
  }

  core(origin: string): CoordinatorCore {
    let core = this.#cores.get(origin)
    if (!core) {
      core = new CoordinatorCore()
      this.#cores.set(origin, core)
    }
    return core
  }
}
