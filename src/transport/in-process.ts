import { CoordinatorCore } from '../coordinator/coordinator-core.ts'
import { OperatorDesk } from '../coordinator/operator/desk.ts'
import type {
  DeskAnswer,
  DeskRequest,
  OperatorPort,
} from '../coordinator/operator/desk-messages.ts'
import { MemoryStore } from '../coordinator/operator/store.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** The coordinator in the same process: for a server that runs on a single machine. */
export class InProcessCoordinator implements CoordinatorPort, OperatorPort {
  readonly #origins = new Map<string, { core: CoordinatorCore; desk: OperatorDesk }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    const { core, desk } = this.#origin(feedback.origin)
    const answer = core.handle(feedback, this.#now())
    desk.follow(this.#now())
    return Promise.resolve(answer)
  }

  /** What the admin API asks. */
  ask(origin: string, request: DeskRequest): Promise<DeskAnswer> {
    const answer = this.#origin(origin).desk.handle(request, this.#now())
    // As between two processes, nothing in the answer changes later.
    return Promise.resolve(JSON.parse(JSON.stringify(answer)))
  }

  /** The core of one origin. */
  core(origin: string): CoordinatorCore {
    return this.#origin(origin).core
  }

  #origin(name: string): { readonly core: CoordinatorCore; readonly desk: OperatorDesk } {
    let origin = this.#origins.get(name)
    if (!origin) {
      const core = new CoordinatorCore()
      const desk = new OperatorDesk(core, new MemoryStore(), this.#now(), { tell: () => {} })
      origin = { core, desk }
      this.#origins.set(name, origin)
    }
    return origin
  }
}
