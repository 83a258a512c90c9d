import { Hedge } from '../lib/hedge.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'

/** How long the answers take before any has come: those of the relay alone, and those that may wait for the coordinator. */
const RELAY_MS = 10
const COORDINATOR_MS = 50

/** The way to the coordinator, with copies of the reports and questions whose answers take far longer than usual. */
export class HedgedPort implements CoordinatorPort {
  readonly #port: CoordinatorPort
  readonly #toRelay: Hedge
  readonly #toCoordinator: Hedge

  constructor(port: CoordinatorPort, runtime: Runtime) {
    this.#port = port
    this.#toRelay = new Hedge(runtime, RELAY_MS)
    this.#toCoordinator = new Hedge(runtime, COORDINATOR_MS)
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    const hedge = feedback.asks || feedback.confirms ? this.#toRelay : this.#toCoordinator
    return hedge.send(() => this.#port.report(feedback))
  }
}
