import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { CoordinatorState } from '../../src/coordinator/state.ts'
import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import type { Timers } from './timers.ts'

/** `CoordinatorCore` in simulated time, with the alarm that its Durable Object sets. */
export class Coordinator {
  readonly #core = new CoordinatorCore()
  readonly #timers: Timers
  #hasAlarm = false
  /** Alarms since the start. */
  alarms = 0

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** What it keeps in memory and in storage. */
  get state(): CoordinatorState | null {
    return this.#core.state
  }

  get plan(): Plan | null {
    return this.#core.plan
  }

  /** Ticks since the start: after each one the state is stored. */
  get ticks(): number {
    return this.#core.state?.seq ?? 0
  }

  report(feedback: Feedback): ReportAnswer {
    const answer = this.#core.handle(feedback, this.#timers.nowMs)
    if (!this.#hasAlarm) this.#setAlarm()
    return answer
  }

  announce(event: CapacityEvent): void {
    this.#core.announce(event)
  }

  #setAlarm(): void {
    this.#hasAlarm = true
    this.#timers.after(this.#core.alarmMs, () => {
      const { nowMs } = this.#timers
      this.alarms++
      this.#core.tick(nowMs)
      this.#hasAlarm = false
      if (!this.#core.isIdle(nowMs)) this.#setAlarm()
    })
  }
}
