import { Hedge } from '../lib/hedge.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** How long answers take before any has come: those that the relay gives at once, and those that may wait for the coordinator. */
const RELAY_MS = 10
const COORDINATOR_MS = 50

/** The way of reports, with copies of those whose answers take far longer than usual. */
export class HedgedPort {
  readonly #port: CoordinatorPort
  readonly #toRelay: Hedge
  readonly #toCoordinator: Hedge

  constructor(port: CoordinatorPort, runtime: Runtime) {
    this.#port = port
    this.#toRelay = new Hedge(runtime, RELAY_MS)
    this.#toCoordinator = new Hedge(runtime, COORDINATOR_MS)
  }

  report(feedback: Feedback, isCalm: boolean): Promise<ReportAnswer> {
    const send = () => this.#port.report(feedback)
    if (feedback.asks) return this.#toRelay.send(send)
    // In calm nobody waits for the answer.
    return isCalm ? send() : this.#toCoordinator.send(send)
  }
}
