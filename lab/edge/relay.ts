import { RelayDesk } from '../../src/coordinator/relay-core.ts'
import type { Answer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Coordinator } from './coordinator.ts'
import type { Way } from './network.ts'
import type { Timers } from './timers.ts'

/** What the relay's Durable Object does around `RelayDesk`, in simulated time. */
export class Relay {
  readonly #desk: RelayDesk
  readonly #coordinator: Coordinator
  readonly #way: Way
  readonly #timers: Timers
  #forwardsLater = false

  constructor(sender: string, coordinator: Coordinator, way: Way, timers: Timers) {
    this.#desk = new RelayDesk(sender)
    this.#coordinator = coordinator
    this.#way = way
    this.#timers = timers
  }

  report(feedback: Feedback, reply: (answer: Answer) => void): void {
    const { nowMs } = this.#timers
    if (!this.#desk.take(feedback, nowMs)) {
      reply(this.#desk.answerTo('', nowMs))
      return
    }
    const answer = () => reply(this.#desk.answerTo(feedback.sender, this.#timers.nowMs))
    if (this.#desk.isTimeToForward(nowMs)) {
      this.#forward(feedback.origin, answer)
      return
    }
    this.#forwardLater(feedback.origin, this.#desk.waitMs(nowMs))
    answer()
  }

  #forward(origin: string, learned: () => void): void {
    const report = this.#desk.forward(origin, this.#timers.nowMs)
    this.#way.carry(() => {
      const answer = this.#coordinator.report(report)
      this.#way.carry(() => {
        this.#desk.learn(answer)
        learned()
      })
    })
  }

  #forwardLater(origin: string, ms: number): void {
    if (this.#forwardsLater) return
    this.#forwardsLater = true
    this.#timers.after(ms, () => {
      this.#forwardsLater = false
      if (this.#desk.hasNews) this.#forward(origin, () => {})
    })
  }
}
