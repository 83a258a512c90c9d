import { DurableObject } from 'cloudflare:workers'
import { CoordinatorCore } from '../src/coordinator/coordinator-core.ts'
import type { CapacityEvent } from '../src/learners/learner-interface.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'

/**
 * The coordinator of one origin. There is one object for each origin in the world.
 *
 * - Holds, in memory: the feedback since the last tick, the last minute's figures, the learner, the newest plan.
 * - Ticks: when the reports cover the tick's time (1 s by default). An alarm ticks if some reports do not come.
 *   Without reports for 30 s there are no ticks and no alarms.
 * - Stores: one value, `state`, after each tick and each new setup. It has all that was learned
 *   (src/coordinator/state.ts). After an eviction the object continues from it.
 * - The decisions are in `CoordinatorCore` (src/coordinator/coordinator-core.ts), and begin in its `tick`. This
 *   class adds storage, alarm, clock and calls.
 */
export class Coordinator extends DurableObject {
  #core = new CoordinatorCore()

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    void ctx.blockConcurrencyWhile(async () => {
      this.#core = new CoordinatorCore(await ctx.storage.get('state'))
      if (this.#core.warning) console.warn(this.#core.warning)
    })
  }

  /** Takes a relay's feedback. Answers with the newest plan and the relay's share. */
  async report(feedback: Feedback): Promise<ReportAnswer> {
    const nowMs = Date.now()
    const before = this.#core.state
    const answer = this.#core.handle(feedback, nowMs)
    if (this.#core.state !== before) this.#store()
    if ((await this.ctx.storage.getAlarm()) === null) await this.#setAlarm(nowMs)
    return answer
  }

  /** An operator says that the origin has more or less capacity. */
  announce(event: CapacityEvent): void {
    this.#core.announce(event)
  }

  /** As JSON, because the learner's state has no type that calls between objects could check. */
  status(): string {
    return JSON.stringify(this.#core.status())
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    if (this.#core.tick(nowMs)) this.#store()
    if (!this.#core.isIdle(nowMs)) await this.#setAlarm(nowMs)
  }

  /** Not awaited: the runtime holds the answer back until the write is done, and the next tick need not wait. */
  #store(): void {
    void this.ctx.storage.put('state', this.#core.state)
  }

  #setAlarm(nowMs: number): Promise<void> {
    return this.ctx.storage.setAlarm(nowMs + this.#core.tickMs)
  }
}
