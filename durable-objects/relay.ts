import { DurableObject } from 'cloudflare:workers'
import { RelayDesk } from '../src/coordinator/relay-core.ts'
import type { Answer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'
import type { TidegateBindings } from '../src/transport/durable-object.ts'

/** One per colo and origin: adds its isolates' feedback up, and hands the newest plan out. */
export class Relay extends DurableObject<TidegateBindings> {
  // The same after an eviction: else the coordinator would count what this relay was beside what it is. It reports
  // about once a second, so that milliseconds number its reports higher than before.
  readonly #desk = new RelayDesk(this.ctx.id.toString(), Date.now())
  #timer: ReturnType<typeof setTimeout> | null = null

  async report(feedback: Feedback): Promise<Answer> {
    const nowMs = Date.now()
    if (!this.#desk.take(feedback, nowMs)) return this.#desk.answerTo('', nowMs)
    if (this.#desk.isTimeToForward(nowMs)) await this.#forward(feedback.origin)
    else if (this.#desk.hasNews) this.#forwardLater(feedback.origin, this.#desk.waitMs(nowMs))
    return this.#desk.answerTo(feedback.sender, Date.now())
  }

  /** What is lost on the way makes one tick less exact, and is not sent again. */
  async #forward(origin: string): Promise<void> {
    const coordinator = this.env.TIDEGATE_COORDINATOR.getByName(origin)
    try {
      this.#desk.learn(await coordinator.report(this.#desk.forward(origin, Date.now())))
    } catch (error) {
      this.#desk.lose()
      throw error
    }
  }

  /** The last feedback of a rush must not stay here: no other report may come and take it along. */
  #forwardLater(origin: string, ms: number): void {
    this.#timer ??= setTimeout(async () => {
      this.#timer = null
      if (!this.#desk.hasNews) return
      await this.#forward(origin).catch((error) => console.warn('Relay:', error))
    }, ms)
  }
}
