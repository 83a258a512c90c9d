import type { PlanPart } from '../admission/plan-part.ts'
import type { Route } from '../config/config.ts'
import { BackOff, isOverloaded } from '../lib/back-off.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import {
  type CoordinatorPort,
  checkedAnswer,
  type ReportAnswer,
} from '../protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import { newerPlan, type Plan } from '../protocol/plan.ts'
import { readPlan } from '../protocol/read-plan.ts'
import { coordinatorSetup } from './coordinator-setup.ts'
import { FallbackLimit } from './fallback-limit.ts'
import type { OriginState } from './origin-state.ts'
import type { PlanCache } from './plan-cache.ts'
import { ReportPace } from './report-pace.ts'

const REPORT_EVERY_MS = 1000
/** A report that takes longer has failed. */
const REPORT_TIMEOUT_MS = 2500
/** After this many failed reports in a row the routes' `failure` rule applies. */
const FAILURES_BEFORE_RULE = 3
const FAILED_TOGETHER_MS = 900
/** Commands of the origin are reported sooner. Many of them within this time go together. */
const COMMANDS_EVERY_MS = 200
/** A plan is old if it came this long ago: reports are a second apart. */
const OLD_AFTER_MS = 1250
/** Commands wait for the answer to a report that is under way, and look for it so often. */
const LOOK_MS = 20
const END_LOOK_MS = 5
const MOST_LOOKS = REPORT_TIMEOUT_MS / LOOK_MS
/** A scheduled report that is this late was stopped together with the request that it ran behind. */
const SCHEDULE_LOST_AFTER_MS = 5000
/** In calm reports may be left out, for so many seconds behind one request. */
const MOST_LEFT_OUT = 15
/** A visitor waits this long for the answer to a report, and looks for it after each of these steps. */
const ASK_STEPS_MS = [5, 5, 10, 10, 20, 20, 30]
/** After this time nobody waits for the answer to a report before sending another, which carries the report again. */
const OVERDUE_MS = 120
/** After an answer that did not come in time, nobody waits for so long. */
const ASK_AGAIN_AFTER_MS = 1000
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
 * Reports to one origin's coordinator, at most once a second and only behind a request, and follows the plans that come back.
 * After failed reports it learns a limit by itself.
 */
export class Reporter {
  readonly #state: OriginState
  readonly #setup: Setup
  readonly #options: ReporterOptions
  readonly #fallback: FallbackLimit
  #plan: Plan | null = null
  #part: PlanPart = { share: 0 }
  /** Counts the answers, so that a visitor who waits sees the next one. */
  #answers = 0
  #unanswered = 0
  /** The report that was sent last. */
  #current: Promise<void> = Promise.resolve()
  /** Number of the report whose answer is in force: a late answer to an older one says nothing. */
  #answeredSeq = -1
  readonly #pace: ReportPace
  /** When a report was sent last, or left out. */
  #reportedAtMs = Number.NEGATIVE_INFINITY
  #askAgainAtMs = Number.NEGATIVE_INFINITY
  /** The last report, if it is not answered. */
  #lost: Omit<Feedback, 'again'> | null = null
  /** The setup that the coordinator had at its last answer. */
  #knownSetup: Plan['setup'] | null = null
  #seq = 0
  #fromMs: number
  #scheduledAtMs = Number.NEGATIVE_INFINITY
  /** Is the end of a request going to be reported? */
  #isEnding = false
  #hurriedAtMs = Number.NEGATIVE_INFINITY
  #followedAtMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #failedAtMs = Number.NEGATIVE_INFINITY
  /** More reports would only add to the load of an overloaded object. */
  readonly #backOff = new BackOff()
  /** Has a request arrived since the last report? */
  #isTouched = false

  constructor(routes: readonly Route[], state: OriginState, options: ReporterOptions) {
    this.#state = state
    this.#options = options
    this.#fromMs = options.runtime.now()
    this.#setup = coordinatorSetup(routes, this.#fromMs)
    this.#fallback = new FallbackLimit(this.#setup)
    this.#pace = new ReportPace(state)
  }

  /** Has it not reported yet? */
  get isNew(): boolean {
    return this.#seq === 0
  }

  /** Call this for every request that arrives: it makes sure that a report goes out soon. */
  touch(background: Background, nowMs: number): void {
    this.#isTouched = true
    this.#pace.arrive()
    // A clock may be set back.
    const sinceMs = Math.abs(nowMs - this.#scheduledAtMs)
    if (sinceMs < SCHEDULE_LOST_AFTER_MS || this.#backOff.leftMs(nowMs) > 0) return
    this.#scheduledAtMs = nowMs
    // The first report goes out at once: a surge brings many new isolates, and each needs a plan.
    background.waitUntil(this.#reports())
  }

  /** Follows the newest plan in the colo's cache, unless an answer has come meanwhile. */
  async followCached(): Promise<void> {
    const answers = this.#answers
    const stored = await this.#options.cache?.read(this.#state.name).catch(() => null)
    if (!stored || this.#answers !== answers) return
    if (this.#plan && stored.plan.seq <= this.#plan.seq) return
    const { plan, fairPart } = stored
    // It may be a minute old.
    this.#followedAtMs = Number.NEGATIVE_INFINITY
    this.#plan = plan
    this.#part = { share: fairPart, fairPart }
    this.#state.follow(plan, this.#part, this.#options.runtime.now(), true)
  }

  /**
   * A visitor waits for the answer to a report: one that is on its way, or a new one. It waits 100 ms at the most, and
   * then goes by the plan of the colo's cache. It also looks for the answer by its own timer, because a promise of
   * another request may never resolve for it.
   */
  async ask(usesCache: boolean): Promise<void> {
    const { runtime } = this.#options
    const nowMs = runtime.now()
    const isTooSoon = nowMs < this.#askAgainAtMs && this.#askAgainAtMs - nowMs <= ASK_AGAIN_AFTER_MS
    if (isTooSoon || this.#backOff.leftMs(nowMs) > 0) return
    if (!this.#isOnItsWay) void this.#report(true, true)
    const cached =
      usesCache && this.#state.admission.isStale(runtime.now()) ? this.followCached() : null
    const answers = this.#answers
    await Promise.race([this.#current, this.#lookFor(answers)])
    if (this.#answers !== answers) return
    this.#askAgainAtMs = runtime.now() + ASK_AGAIN_AFTER_MS
    await cached
  }

  /** Did the newest plan come longer ago than reports are apart? */
  isPlanOld(nowMs: number): boolean {
    return this.#plan !== null && nowMs - this.#followedAtMs > OLD_AFTER_MS
  }

  /** Gets a newer plan for a request that needs one. If it takes too long, the old plan stays in force. */
  renew(background: Background): Promise<void> {
    const renewed = this.ask(false)
    background.waitUntil(renewed)
    return renewed
  }

  /** A request has ended. Where the relay holds the cap on requests in flight, it must know at once. */
  ended(background: Background): void {
    if (this.#isEnding || !this.#state.admission.reportsEnds(this.#options.runtime.now())) return
    this.#isEnding = true
    background.waitUntil(this.#reportEnd())
  }

  async #reportEnd(): Promise<void> {
    const { runtime } = this.#options
    for (let ms = 0; ms < OVERDUE_MS && this.#isOnItsWay; ms += END_LOOK_MS)
      await runtime.sleep(END_LOOK_MS)
    this.#isEnding = false
    if (this.#backOff.leftMs(runtime.now()) <= 0) await this.#report(false)
  }

  /** Is a report on its way whose answer can still be expected? */
  get #isOnItsWay(): boolean {
    const sinceMs = this.#options.runtime.now() - this.#reportedAtMs
    return this.#unanswered > 0 && sinceMs < OVERDUE_MS
  }

  /** Sends the commands of the origin, without waiting for the next report. */
  hurry(background: Background): void {
    const nowMs = this.#options.runtime.now()
    if (this.#hurriedAtMs > nowMs || this.#backOff.leftMs(nowMs) > 0) return
    const atMs = Math.max(nowMs, this.#hurriedAtMs + COMMANDS_EVERY_MS)
    this.#hurriedAtMs = atMs
    background.waitUntil(this.#hurried(atMs - nowMs))
  }

  async #hurried(waitMs: number): Promise<void> {
    const { runtime } = this.#options
    if (waitMs > 0) await runtime.sleep(waitMs)
    // Of two reports at once the later one may arrive first, and then the other would be dropped.
    for (let i = 0; i < MOST_LOOKS && this.#unanswered > 0; i++) await runtime.sleep(LOOK_MS)
    if (this.#state.commands.hasUnsent) await this.#report(false)
  }

  async #lookFor(answers: number): Promise<void> {
    for (const ms of ASK_STEPS_MS) {
      await this.#options.runtime.sleep(ms)
      if (this.#answers !== answers) return
    }
  }

  async #reports(): Promise<void> {
    const { runtime } = this.#options
    let leftOut = 0
    const isStale = this.#state.admission.isStale(runtime.now())
    // Where each draw asks, the question of this one is a report too.
    if (!isStale && this.#state.admission.isEachAsking(runtime.now())) await Promise.resolve()
    for (let i = 0; i < MOST_IN_A_ROW; i++) {
      const waitMs = this.#reportedAtMs + REPORT_EVERY_MS - runtime.now()
      if (waitMs > 0) await runtime.sleep(Math.min(REPORT_EVERY_MS, waitMs))
      if (i > 0 && this.#isDone) break
      // The request that comes after the pause schedules the next report.
      if (this.#backOff.leftMs(runtime.now()) > 0) break
      const mayBeLeftOut = leftOut < MOST_LEFT_OUT && !this.#pace.isDue(runtime.now())
      if (mayBeLeftOut && (await this.#leaveOut(runtime.now()))) {
        leftOut++
        i = 0
        continue
      }
      // After a silence it goes out at once: whoever comes needs a new plan.
      const isAtOnce = i === 0 && leftOut === 0 && waitMs <= 0
      const report = this.#report(isAtOnce, isAtOnce && isStale)
      // An answer that is late does not hold up the next report.
      await Promise.race([report, runtime.sleep(REPORT_EVERY_MS)])
      // The request behind a report at once was not counted yet, so it is looked for later.
      if (!isAtOnce && this.#isDone) break
    }
    // The next request schedules the next report. Until then there are no sweeps.
    this.#state.open.handOverAll(runtime.now())
    this.#scheduledAtMs = Number.NEGATIVE_INFINITY
  }

  /** Instead of a report: the sweep, and a look at the data centre's newest plan. False: that plan ends the calm. */
  async #leaveOut(nowMs: number): Promise<boolean> {
    const { cache } = this.#options
    this.#scheduledAtMs = nowMs
    this.#reportedAtMs = nowMs
    this.#pace.leftOut()
    this.#state.open.sweep(nowMs)
    const stored = await cache?.read(this.#state.name).catch(() => null)
    const isOver = stored && stored.plan.calmMs === undefined && stored.plan.seq > this.#plan!.seq
    if (isOver) this.#pace.endCalm()
    return !isOver
  }

  /** The outcome of requests in flight goes into a later report, and no other request may come to send it. */
  get #isDone(): boolean {
    return this.#state.open.size === 0 && !this.#state.hasNews && !this.#isTouched
  }

  /** `wants`: a draw needs an admission. */
  #report(asks: boolean, wants = false): Promise<void> {
    this.#current = this.#sendReport(asks, wants)
    return this.#current
  }

  async #sendReport(asks: boolean, wants: boolean): Promise<void> {
    const { runtime, port, cache } = this.#options
    const nowMs = runtime.now()
    const feedback = this.#feedback(nowMs, asks, wants)
    this.#scheduledAtMs = nowMs
    this.#reportedAtMs = nowMs
    this.#pace.reported(nowMs)
    this.#isTouched = false
    this.#unanswered++
    const { again, ...lost } = feedback
    this.#lost = lost
    try {
      this.#follow(checkedAnswer(await this.#withTimeout(port.report(feedback))), feedback.seq)
      this.#failures = 0
      this.#backOff.over()
      if (this.#lost === lost) this.#lost = null
    } catch (error) {
      this.#pace.endCalm()
      if (isOverloaded(error)) this.#backOff.met(runtime.now(), runtime.coin())
      if (feedback.commands) this.#state.commands.keep(feedback.commands)
      this.#failed(feedback)
    } finally {
      this.#unanswered--
    }
    const { fairPart } = this.#part
    if (this.#failures === 0 && this.#plan && fairPart !== undefined)
      await cache?.offer({ plan: this.#plan, fairPart }, runtime.now())
  }

  #follow(answer: ReportAnswer, seq: number): void {
    const given = readPlan(answer.plan)
    if (seq < this.#answeredSeq) return
    this.#answeredSeq = seq
    this.#knownSetup = given?.setup ?? null
    if (given === null) return
    const nowMs = this.#options.runtime.now()
    const plan = newerPlan(this.#plan, given)!
    this.#answers++
    this.#plan = plan
    this.#part = answer
    this.#followedAtMs = nowMs
    this.#pace.follow(plan)
    this.#askAgainAtMs = Number.NEGATIVE_INFINITY
    this.#state.follow(plan, answer, nowMs)
  }

  #failed(feedback: Feedback): void {
    const drawLimit = this.#plan?.drawLimit ?? null
    const { share } = this.#part
    // A share of 0 only means that this isolate had no draw yet.
    if (this.#failures === 0)
      this.#fallback.seed(drawLimit === null || share === 0 ? null : drawLimit * share)
    // Draws may send many reports in a second: what fails together has failed once.
    const nowMs = this.#options.runtime.now()
    if (this.#failures === 0 || Math.abs(nowMs - this.#failedAtMs) >= FAILED_TOGETHER_MS) {
      this.#failedAtMs = nowMs
      this.#failures++
    }
    const limit = this.#fallback.learn(feedback)
    if (this.#failures >= FAILURES_BEFORE_RULE) this.#state.admission.failLocally(limit, nowMs)
  }

  #feedback(nowMs: number, asks: boolean, wants: boolean): Feedback {
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
      ...(this.#plan === null ? {} : { planIssuedAtMs: this.#plan.issuedAtMs }),
      ...(asks ? { asks } : {}),
      ...(wants ? { wants } : {}),
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
