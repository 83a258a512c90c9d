import { Brain } from '../../src/coordinator/coordinator-core.ts'
import type { CapacityEvent } from '../../src/learners/learner.ts'
import type { Answer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import type { Timers } from './timers.ts'

/** What the coordinator's Durable Object does around `Brain`, in simulated time. */
export class Coordinator {
  readonly #brain = new Brain()
  readonly #timers: Timers
  #hasAlarm = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get plan(): Plan | null {
    return this.#brain.plan
  }

  report(feedback: Feedback): Answer {
    const { nowMs } = this.#timers
    const { share } = this.#brain.report(feedback, nowMs)
    this.#brain.tickIfDue(nowMs)
    if (!this.#hasAlarm) this.#setAlarm()
    return { plan: this.#brain.plan, share }
  }

  announce(event: CapacityEvent): void {
    this.#brain.announce(event)
  }

  #setAlarm(): void {
    this.#hasAlarm = true
    this.#timers.after(this.#brain.tickMs, () => {
      const { nowMs } = this.#timers
      this.#brain.tick(nowMs)
      this.#hasAlarm = false
      if (!this.#brain.isIdle(nowMs)) this.#setAlarm()
    })
  }
}
