import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { CoordinatorState } from '../../src/coordinator/state.ts'
import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import type { Timers } from './timers.ts'

/** `CoordinatorCore` in simulated time, with the alarm that its Durable Object sets. */
export class Coordinator {
  readonly #core: CoordinatorCore
  readonly #timers: Timers
  readonly #onPlan: ((plan: Plan, nowMs: number) => void) | null
  #hasAlarm = false
  /** Alarms since the start. */
  alarms = 0

  /** `countsAlike`: an answer of one class counts as much as one of another. */
  constructor(
    timers: Timers,
    countsAlike = false,
    onPlan: ((plan: Plan, nowMs: number) => void) | null = null,
  ) {
    this.#timers = timers
    this.#core = new CoordinatorCore(undefined, countsAlike)
    this.#onPlan = onPlan
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
    const { nowMs } = this.#timers
    const before = this.#core.plan
    const answer = this.#core.handle(feedback, nowMs)
    if (answer.plan !== null && answer.plan !== before) this.#onPlan?.(answer.plan, nowMs)
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
