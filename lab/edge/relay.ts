import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Coordinator } from './coordinator.ts'
import type { Way } from './network.ts'
import type { Timers } from './timers.ts'

/** `RelayCore` in simulated time. */
export class Relay {
  readonly #core: RelayCore

  constructor(sender: string, coordinator: Coordinator, way: Way, timers: Timers) {
    this.#core = new RelayCore({
      sender,
      now: () => timers.nowMs,
      sleep: (ms) => timers.sleep(ms),
      send: (feedback) =>
        new Promise((resolve, reject) => {
          // A call between Durable Objects fails when its connection breaks.
          const fail = () => reject(new Error('Connection lost'))
          way.carry(() => {
            const answer = coordinator.report(feedback)
            way.carry(() => resolve(answer), fail)
          }, fail)
        }),
      warn() {},
    })
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    return this.#core.handle(feedback)
  }
}
