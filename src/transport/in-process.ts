import { CoordinatorCore } from '../coordinator/coordinator-core.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** The coordinator in the same process: for a server that runs on a single machine. */
export class InProcessCoordinator implements CoordinatorPort {
  readonly #cores = new Map<string, CoordinatorCore>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    return Promise.resolve(this.core(feedback.origin).handle(feedback, this.#now()))
  }

  /** The core of one origin. */
  core(origin: string): CoordinatorCore {
    let core = this.#cores.get(origin)
    if (!core) {
      core = new CoordinatorCore()
      this.#cores.set(origin, core)
    }
    return core
  }
}
