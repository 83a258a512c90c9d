import { DurableObject } from 'cloudflare:workers'
import { CoordinatorCore } from '../src/coordinator/coordinator-core.ts'
import type { CapacityEvent } from '../src/learners/learner.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'

/** One origin's coordinator: storage, alarm and calls around `CoordinatorCore`, which does the thinking. */
export class Coordinator extends DurableObject {
  #core = new CoordinatorCore()

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    void ctx.blockConcurrencyWhile(async () => {
      this.#core = new CoordinatorCore(await ctx.storage.get('state'))
      if (this.#core.note) console.warn(this.#core.note)
    })
  }

  /** Takes a relay's feedback; answers with the newest plan and the relay's share. */
  async report(feedback: Feedback): Promise<ReportAnswer> {
    const nowMs = Date.now()
    const before = this.#core.state
    const { share } = this.#core.report(feedback, nowMs)
    this.#core.tickIfDue(nowMs)
    // A tick changes it, and so does a new setup: senders that were told it is known do not tell it again.
    if (this.#core.state !== before) this.#keep()
    await this.#wake(nowMs)
    return { plan: this.#core.plan, share }
  }

  /** More or less capacity, by the word of an operator. */
  announce(event: CapacityEvent): void {
    this.#core.announce(event)
  }

  /** As JSON: a learner's state has no type that calls between objects could check. */
  status(): string {
    return JSON.stringify(this.#core.status())
  }

  /** The backstop: reports bring ticks about by themselves, unless some of them stay out. */
  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    if (this.#core.tick(nowMs)) this.#keep()
    if (!this.#core.isIdle(nowMs)) await this.ctx.storage.setAlarm(nowMs + this.#core.tickMs)
  }

  /** One small write a tick; the reply waits for it, and the next tick need not. */
  #keep(): void {
    void this.ctx.storage.put('state', this.#core.state)
  }

  /** An idle coordinator sets no alarm; the first report wakes it. */
  async #wake(nowMs: number): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(nowMs + this.#core.tickMs)
  }
}
