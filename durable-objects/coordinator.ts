import { DurableObject } from 'cloudflare:workers'
import { Brain } from '../src/coordinator/coordinator-core.ts'
import type { CapacityEvent } from '../src/learners/learner.ts'
import type { Answer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'

/** One origin's coordinator: storage, alarm and calls around `Brain`, which does the thinking. */
export class Coordinator extends DurableObject {
  #brain = new Brain()

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    void ctx.blockConcurrencyWhile(async () => {
      this.#brain = new Brain(await ctx.storage.get('brain'))
      if (this.#brain.note) console.warn(this.#brain.note)
    })
  }

  /** Takes a relay's feedback; answers with the newest plan and the relay's share. */
  async report(feedback: Feedback): Promise<Answer> {
    const nowMs = Date.now()
    const before = this.#brain.state
    const { share } = this.#brain.report(feedback, nowMs)
    this.#brain.tickIfDue(nowMs)
    // A tick changes it, and so does a new setup: senders that were told it is known do not tell it again.
    if (this.#brain.state !== before) this.#keep()
    await this.#wake(nowMs)
    return { plan: this.#brain.plan, share }
  }

  /** More or less capacity, by the word of an operator. */
  announce(event: CapacityEvent): void {
    this.#brain.announce(event)
  }

  /** As JSON: a learner's state has no type that calls between objects could check. */
  status(): string {
    return JSON.stringify(this.#brain.status())
  }

  /** The backstop: reports bring ticks about by themselves, unless some of them stay out. */
  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    if (this.#brain.tick(nowMs)) this.#keep()
    if (!this.#brain.isIdle(nowMs)) await this.ctx.storage.setAlarm(nowMs + this.#brain.tickMs)
  }

  /** One small write a tick; the reply waits for it, and the next tick need not. */
  #keep(): void {
    void this.ctx.storage.put('brain', this.#brain.state)
  }

  /** An idle coordinator sets no alarm; the first report wakes it. */
  async #wake(nowMs: number): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(nowMs + this.#brain.tickMs)
  }
}
