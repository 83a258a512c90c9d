import { DurableObject } from 'cloudflare:workers'
import { RelayCore } from '../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'
import type { Coordinator } from './coordinator.ts'

interface RelayBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
}

/**
 * The relay of one colo and origin. It keeps isolates from calling the coordinator each by itself.
 *
 * - Holds, in memory only: feedback that is not yet sent, and the newest plan.
 * - Sends: one report a second, made of those of its isolates. A timer sends the last one of a rush.
 * - The steps are in `RelayCore` (src/coordinator/relay-core.ts). This class adds clock, timer and calls.
 */
export class Relay extends DurableObject<RelayBindings> {
  readonly #core = new RelayCore({
    // The same name after an eviction, or the coordinator would count the old relay beside the new one. Reports are
    // about a second apart, so numbers that start at the time in milliseconds are always higher than before.
    sender: this.ctx.id.toString(),
    firstSeq: Date.now(),
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    send: (feedback) => this.env.TIDEGATE_COORDINATOR.getByName(feedback.origin).report(feedback),
    warn: (error) => console.warn('The relay could not reach the coordinator:', error),
  })

  report(feedback: Feedback): Promise<ReportAnswer> {
    return this.#core.handle(feedback)
  }
}
