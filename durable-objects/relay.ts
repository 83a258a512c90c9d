import { DurableObject } from 'cloudflare:workers'
import { RelayCore } from '../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'
import type { Coordinator } from './coordinator.ts'

interface RelayBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
}

/** One per colo and origin: adds its isolates' feedback up, and hands the newest plan out. */
export class Relay extends DurableObject<RelayBindings> {
  // The same after an eviction: else the coordinator would count what this relay was beside what it is. It reports
  // about once a second, so that milliseconds number its reports higher than before.
  readonly #core = new RelayCore(this.ctx.id.toString(), Date.now())
  #timer: ReturnType<typeof setTimeout> | null = null

  async report(feedback: Feedback): Promise<ReportAnswer> {
    const nowMs = Date.now()
    if (!this.#core.take(feedback, nowMs)) return this.#core.answerTo('', nowMs)
    if (this.#core.isTimeToForward(nowMs)) await this.#forward(feedback.origin)
    else if (this.#core.hasNews) this.#forwardLater(feedback.origin, this.#core.waitMs(nowMs))
    return this.#core.answerTo(feedback.sender, Date.now())
  }

  /** What is lost on the way makes one tick less exact, and is not sent again. */
  async #forward(origin: string): Promise<void> {
    const coordinator = this.env.TIDEGATE_COORDINATOR.getByName(origin)
    try {
      this.#core.learn(await coordinator.report(this.#core.forward(origin, Date.now())))
    } catch (error) {
      this.#core.lose()
      throw error
    }
  }

  /** The last feedback of a rush must not stay here: no other report may come and take it along. */
  #forwardLater(origin: string, ms: number): void {
    this.#timer ??= setTimeout(async () => {
      this.#timer = null
      if (!this.#core.hasNews) return
      await this.#forward(origin).catch((error) => console.warn('Relay:', error))
    }, ms)
  }
}
