import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Coordinator } from './coordinator.ts'
import type { Way } from './network.ts'
import type { Timers } from './timers.ts'

/** What the relay's Durable Object does around `RelayCore`, in simulated time. */
export class Relay {
  readonly #core: RelayCore
  readonly #coordinator: Coordinator
  readonly #way: Way
  readonly #timers: Timers
  #forwardsLater = false

  constructor(sender: string, coordinator: Coordinator, way: Way, timers: Timers) {
    this.#core = new RelayCore(sender)
    this.#coordinator = coordinator
    this.#way = way
    this.#timers = timers
  }

  report(feedback: Feedback, reply: (answer: ReportAnswer) => void): void {
    const { nowMs } = this.#timers
    if (!this.#core.take(feedback, nowMs)) {
      reply(this.#core.answerTo('', nowMs))
      return
    }
    const answer = () => reply(this.#core.answerTo(feedback.sender, this.#timers.nowMs))
    if (this.#core.isTimeToForward(nowMs)) {
      this.#forward(feedback.origin, answer)
      return
    }
    this.#forwardLater(feedback.origin, this.#core.waitMs(nowMs))
    answer()
  }

  #forward(origin: string, learned: () => void): void {
    const report = this.#core.forward(origin, this.#timers.nowMs)
    this.#way.carry(() => {
      const answer = this.#coordinator.report(report)
      this.#way.carry(() => {
        this.#core.learn(answer)
        learned()
      })
    })
  }

  #forwardLater(origin: string, ms: number): void {
    if (this.#forwardsLater) return
    this.#forwardsLater = true
    this.#timers.after(ms, () => {
      this.#forwardsLater = false
      if (this.#core.hasNews) this.#forward(origin, () => {})
    })
  }
}
