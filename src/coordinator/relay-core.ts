import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import { isFeedback } from '../protocol/feedback-schema.ts'
import { ReportAggregator } from './report-aggregator.ts'
import { SetupTime } from './setup-time.ts'

/** A relay reports once a second, as its isolates do. Slightly early reports are accepted. */
const FORWARD_EVERY_MS = 900

interface RelayOptions {
  /** The relay's name in its reports. */
  readonly sender: string
  /** A relay that restarts under its old name must number its reports higher than before. @default 0 */
  readonly firstSeq?: number
  now(): number
  sleep(ms: number): Promise<void>
  /** Sends a report to the origin's coordinator. */
  send(feedback: Feedback): Promise<ReportAnswer>
  /** A report that no isolate waits for could not be sent. */
  warn(error: unknown): void
}

/**
 * The relay of one colo and origin, without network and timers: adds the feedback of its isolates up, sends it to
 * the coordinator once a second as one report, and answers each isolate with the newest plan.
 */
export class RelayCore {
  readonly #options: RelayOptions
  readonly #aggregator = new ReportAggregator()
  readonly #setupTime = new SetupTime()
  #setup: Setup | null = null
  #newest: ReportAnswer = { plan: null, share: 0 }
  #seq: number
  #forwardedAtMs = Number.NEGATIVE_INFINITY
  #hasUnsent = false
  #isForwardScheduled = false
  #isCutOff = false

  constructor(options: RelayOptions) {
    this.#options = options
    this.#seq = options.firstSeq ?? 0
  }

  /** An invalid or repeated report is dropped, and answered like any other. */
  async handle(feedback: unknown): Promise<ReportAnswer> {
    if (!isFeedback(feedback)) return this.#answerTo('')
    const { origin, sender } = feedback
    const nowMs = this.#options.now()
    const setup = feedback.setup && this.#setupTime.bounded(feedback.setup, nowMs)
    if (setup && setup.sinceMs > (this.#setup?.sinceMs ?? -1)) this.#setup = setup
    if (this.#aggregator.add(feedback, nowMs)) this.#hasUnsent = true
    if (this.#hasUnsent) {
      const waitMs = this.#forwardedAtMs + FORWARD_EVERY_MS - nowMs
      if (waitMs <= 0) await this.#forward(origin)
      else void this.#forwardAfter(origin, waitMs)
    }
    return this.#answerTo(sender)
  }

  /** A report that is lost is not sent again: it makes one tick less exact. */
  async #forward(origin: string): Promise<void> {
    const report = this.#report(origin)
    this.#forwardedAtMs = report.toMs
    this.#hasUnsent = false
    try {
      this.#newest = await this.#options.send(report)
      this.#isCutOff = false
    } catch (error) {
      this.#isCutOff = true
      throw error
    }
  }

  /** Sends the last feedback of a rush, after which no further report may come. */
  async #forwardAfter(origin: string, ms: number): Promise<void> {
    if (this.#isForwardScheduled) return
    this.#isForwardScheduled = true
    await this.#options.sleep(ms)
    this.#isForwardScheduled = false
    if (this.#hasUnsent) await this.#forward(origin).catch(this.#options.warn)
  }

  /** All feedback since the last report, as one report of the whole colo. */
  #report(origin: string): Feedback {
    const nowMs = this.#options.now()
    const { routes, servers, lengthMs } = this.#aggregator.drain(nowMs)
    const known = this.#newest.plan?.setup
    const setup = this.#setup
    const isUnknown =
      setup !== null && known?.id !== setup.id && setup.sinceMs > (known?.sinceMs ?? -1)
    return {
      version: FEEDBACK_VERSION,
      origin,
      sender: this.#options.sender,
      seq: this.#seq++,
      fromMs: nowMs - lengthMs,
      toMs: nowMs,
      ...(isUnknown ? { setup } : {}),
      routes,
      ...(Object.keys(servers).length > 0 ? { servers } : {}),
    }
  }

  /**
   * The newest plan, and the isolate's share of the colo's share. While the coordinator cannot be reached, every
   * isolate gets an error. With an old plan instead, none of them would switch to its `failure` rule.
   */
  #answerTo(sender: string): ReportAnswer {
    if (this.#isCutOff) throw new Error('The coordinator cannot be reached')
    const { plan, share } = this.#newest
    return { plan, share: share * this.#aggregator.shareOf(sender, this.#options.now()) }
  }
}
