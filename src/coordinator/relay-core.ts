import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import { isFeedback } from '../protocol/feedback-schema.ts'
import { ReportAggregator } from './report-aggregator.ts'

/** A relay reports once a second, as its isolates do; this much early is in time. */
const FORWARD_EVERY_MS = 900

/** What a relay knows: its isolates' feedback not yet passed on, and the newest plan. */
export class RelayCore {
  readonly #aggregator = new ReportAggregator()
  readonly #sender: string
  #setup: Setup | null = null
  #newest: ReportAnswer = { plan: null, share: 0 }
  #seq: number
  #forwardedAtMs = Number.NEGATIVE_INFINITY
  #hasNews = false
  #isCutOff = false

  /** A relay that starts anew under the same name must number its reports higher than those before it. */
  constructor(sender: string, firstSeq = 0) {
    this.#sender = sender
    this.#seq = firstSeq
  }

  get hasNews(): boolean {
    return this.#hasNews
  }

  /** False: this is no feedback. A repeated one is dropped, and answered all the same. */
  take(feedback: unknown, nowMs: number): feedback is Feedback {
    if (!isFeedback(feedback)) return false
    const { setup } = feedback
    if (setup && setup.sinceMs > (this.#setup?.sinceMs ?? -1)) this.#setup = setup
    if (this.#aggregator.add(feedback, nowMs)) this.#hasNews = true
    return true
  }

  isTimeToForward(nowMs: number): boolean {
    return this.#hasNews && nowMs - this.#forwardedAtMs >= FORWARD_EVERY_MS
  }

  /** How long what is here may wait for company. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#forwardedAtMs + FORWARD_EVERY_MS - nowMs)
  }

  /** Everything since the last time, as one report of the whole colo. */
  forward(origin: string, nowMs: number): Feedback {
    const { routes, servers, lengthMs } = this.#aggregator.drain(nowMs)
    this.#forwardedAtMs = nowMs
    this.#hasNews = false
    const told = this.#newest.plan?.setup
    const setup = this.#setup
    const isNews = setup !== null && told?.id !== setup.id && setup.sinceMs > (told?.sinceMs ?? -1)
    return {
      version: FEEDBACK_VERSION,
      origin,
      sender: this.#sender,
      seq: this.#seq++,
      fromMs: nowMs - lengthMs,
      toMs: nowMs,
      ...(isNews ? { setup } : {}),
      routes,
      ...(Object.keys(servers).length > 0 ? { servers } : {}),
    }
  }

  learn(answer: ReportAnswer): void {
    this.#newest = answer
    this.#isCutOff = false
  }

  /** The coordinator did not answer. */
  lose(): void {
    this.#isCutOff = true
  }

  /**
   * The newest plan, and the isolate's share of the colo's share. While the coordinator cannot be reached
   * every isolate must learn of it: an old plan handed out as if it were new would keep their rule for
   * that from ever holding.
   */
  answerTo(sender: string, nowMs: number): ReportAnswer {
    if (this.#isCutOff) throw new Error('The coordinator cannot be reached')
    const { plan, share } = this.#newest
    return { plan, share: share * this.#aggregator.shareOf(sender, nowMs) }
  }
}
