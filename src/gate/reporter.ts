import type { Route } from '../config/config.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import { PLAN_VERSION, type Plan } from '../protocol/plan.ts'
import { coordinatorSetup } from './coordinator-setup.ts'
import { FallbackLimit } from './fallback-limit.ts'
import type { OriginState } from './origin-state.ts'
import type { PlanCache } from './plan-cache.ts'

const REPORT_EVERY_MS = 1000
/** A report that takes longer has failed. */
const REPORT_TIMEOUT_MS = 2500
/** After this many failed reports in a row the routes' `failure` rule applies. */
const FAILURES_BEFORE_RULE = 3
/** A scheduled report that is this late was stopped together with the request that it ran behind. */
const SCHEDULE_LOST_AFTER_MS = 5000
/** The most reports behind one request, while requests are in flight. */
const MOST_IN_A_ROW = 4

interface ReporterOptions {
  /** A name for this isolate that no other isolate has. */
  readonly sender: string
  readonly port: CoordinatorPort
  readonly cache: PlanCache | null
  readonly runtime: Runtime
}

/**
 * Reports to one origin's coordinator, once a second and only behind a request, and follows the plans that come back.
 * After failed reports it learns a limit by itself.
 */
export class Reporter {
  readonly #state: OriginState
  readonly #setup: Setup
  readonly #options: ReporterOptions
  readonly #fallback: FallbackLimit
  #plan: Plan | null = null
  #share = 0
  /** The last report, if it failed. */
  #lost: Omit<Feedback, 'again'> | null = null
  /** The setup that the coordinator had at its last answer. */
  #knownSetup: Plan['setup'] | null = null
  #seq = 0
  #fromMs: number
  #scheduledAtMs = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(routes: readonly Route[], state: OriginState, options: ReporterOptions) {
    this.#state = state
    this.#options = options
    this.#fromMs = options.runtime.now()
    this.#setup = coordinatorSetup(routes, this.#fromMs)
    this.#fallback = new FallbackLimit(this.#setup)
  }

  /** Has it not reported yet? */
  get isNew(): boolean {
    return this.#seq === 0
  }

  /** Call this for every request that arrives: it makes sure that a report goes out soon. */
  touch(background: Background, nowMs: number): void {
    if (nowMs - this.#scheduledAtMs < SCHEDULE_LOST_AFTER_MS) return
    this.#scheduledAtMs = nowMs
    // The first report goes out at once: a surge brings many new isolates, and each needs a plan.
    background.waitUntil(this.#reports())
  }

  /** Follows the newest plan in the colo's cache, if this isolate has no plan yet. */
  async followCached(): Promise<void> {
    const plan = await this.#options.cache?.read(this.#state.name).catch(() => null)
    if (plan && !this.#plan) this.#follow({ plan, share: 0 })
  }

  async #reports(): Promise<void> {
    for (let i = 0; i < MOST_IN_A_ROW; i++) {
      if (this.#seq > 0) await this.#options.runtime.sleep(REPORT_EVERY_MS)
      await this.#report()
      // The outcome of requests in flight goes into a later report, and no other request may come to send it.
      if (this.#state.open.size === 0) break
    }
    // The next request schedules the next report. Until then there are no sweeps.
    this.#state.open.handOverAll(this.#options.runtime.now())
    this.#scheduledAtMs = Number.NEGATIVE_INFINITY
  }

  async #report(): Promise<void> {
    const { runtime, port, cache } = this.#options
    const nowMs = runtime.now()
    const feedback = this.#feedback(nowMs)
    this.#scheduledAtMs = nowMs
    try {
      this.#follow(await this.#withTimeout(port.report(feedback)))
      this.#failures = 0
      this.#lost = null
    } catch {
      const { again, ...lost } = feedback
      this.#lost = lost
      this.#failed(feedback)
    }
    if (this.#failures === 0 && this.#plan) await cache?.offer(this.#plan, runtime.now())
  }

  #follow({ plan, share }: ReportAnswer): void {
    this.#knownSetup = plan?.version === PLAN_VERSION ? plan.setup : null
    if (!plan || plan.version !== PLAN_VERSION) return
    this.#plan = plan
    this.#share = share
    this.#state.follow(plan, share, this.#options.runtime.now())
  }

  #failed(feedback: Feedback): void {
    const drawLimit = this.#plan?.drawLimit ?? null
    // A share of 0 only means that this isolate had no draw yet.
    if (this.#failures === 0)
      this.#fallback.seed(drawLimit === null || this.#share === 0 ? null : drawLimit * this.#share)
    this.#failures++
    const limit = this.#fallback.learn(feedback)
    if (this.#failures >= FAILURES_BEFORE_RULE)
      this.#state.admission.failLocally(limit, this.#options.runtime.now())
  }

  #feedback(nowMs: number): Feedback {
    const fromMs = Math.min(this.#fromMs, nowMs)
    this.#fromMs = nowMs
    const { id, sinceMs } = this.#setup
    const isKnown = this.#knownSetup?.id === id || (this.#knownSetup?.sinceMs ?? -1) >= sinceMs
    return {
      version: FEEDBACK_VERSION,
      origin: this.#state.name,
      sender: this.#options.sender,
      seq: this.#seq++,
      fromMs,
      toMs: nowMs,
      ...(isKnown ? {} : { setup: this.#setup }),
      ...(this.#lost === null ? {} : { again: this.#lost }),
      ...this.#state.drain(nowMs),
    }
  }

  async #withTimeout<Value>(work: Promise<Value>): Promise<Value> {
    const late = this.#options.runtime.sleep(REPORT_TIMEOUT_MS).then(() => {
      throw new Error(`The coordinator did not answer within ${REPORT_TIMEOUT_MS} ms`)
    })
    late.catch(() => {})
    return Promise.race([work, late])
  }
}
