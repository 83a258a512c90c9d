import type { PlanPart } from '../admission/plan-part.ts'
import type { Route } from '../config/config.ts'
import { BackOff, isOverloaded } from '../lib/back-off.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import {
  type CoordinatorPort,
  checkedAnswer,
  type ReportAnswer,
} from '../protocol/coordinator-port.ts'
import { newerPlan, type Plan } from '../protocol/plan.ts'
import { readPlan } from '../protocol/read-plan.ts'
import { coordinatorSetup } from './coordinator-setup.ts'
import { HedgedPort } from './hedged-port.ts'
import { HurriedReports } from './hurried-reports.ts'
import type { OriginState } from './origin-state.ts'
import type { PlanCache } from './plan-cache.ts'
import { OVERDUE_MS, PlanConfirmation } from './plan-confirmation.ts'
import { PlanRenewal } from './plan-renewal.ts'
import { PlanWait } from './plan-wait.ts'
import { ReportFailures } from './report-failures.ts'
import { ReportMessages, withTimeout } from './report-messages.ts'
import { ReportPace } from './report-pace.ts'

/** A scheduled report that is this late was stopped together with the request that it ran behind. */
const SCHEDULE_LOST_AFTER_MS = 5000
/** In calm reports may be left out, for so many seconds behind one request. */
const MOST_LEFT_OUT = 15
/** Reports go on for so long behind one request, while requests are in flight. */
const IN_A_ROW_MS = 4000

interface ReporterOptions {
  /** A name for this isolate that no other isolate has. */
  readonly sender: string
  readonly port: CoordinatorPort
  readonly cache: PlanCache | null
  readonly runtime: Runtime
}

/**
 * Reports to one origin's coordinator, as often as it is told and only behind a request, and follows the plans that come back.
 * After failed reports it learns a limit by itself.
 */
export class Reporter {
  readonly #state: OriginState
  readonly #options: ReporterOptions
  readonly #port: HedgedPort
  /** May a draw need another limit than the shared one? */
  readonly #isAnyApart: boolean
  readonly #messages: ReportMessages
  readonly #failures: ReportFailures
  readonly #confirmation: PlanConfirmation
  #plan: Plan | null = null
  #part: PlanPart = { share: 0 }
  /** Counts the answers, so that a visitor who waits sees the next one. */
  #answers = 0
  #unanswered = 0
  /** The report that was sent last. */
  #current: Promise<void> = Promise.resolve()
  readonly #renewal: PlanRenewal
  /** Number of the report whose answer is in force: a late answer to an older one says nothing. */
  #answeredSeq = -1
  readonly #pace: ReportPace
  /** When a report was sent last, or left out. */
  #reportedAtMs = Number.NEGATIVE_INFINITY
  readonly #wait: PlanWait
  #scheduledAtMs = Number.NEGATIVE_INFINITY
  readonly #hurried: HurriedReports
  /** More reports would only add to the load of an overloaded object. */
  readonly #backOff = new BackOff()
  /** Has a request arrived since the last report? */
  #isTouched = false

  constructor(routes: readonly Route[], state: OriginState, options: ReporterOptions) {
    this.#state = state
    this.#isAnyApart = routes.some(({ classes }) => classes.some(({ sla }) => sla !== undefined))
    this.#options = options
    const { runtime, port, cache, sender } = options
    this.#port = new HedgedPort(port, runtime)
    const setup = coordinatorSetup(routes, runtime.now())
    this.#messages = new ReportMessages(state.name, sender, setup, runtime)
    this.#failures = new ReportFailures(state, setup)
    this.#pace = new ReportPace(state)
    this.#wait = new PlanWait(runtime, this.#backOff)
    this.#hurried = new HurriedReports({
      runtime,
      isPaused: () => this.#backOff.leftMs(runtime.now()) > 0,
      isAnyUnanswered: () => this.#unanswered > 0,
      isOnItsWay: () => this.#isOnItsWay,
      hasCommands: () => state.commands.hasUnsent,
      send: () => this.#report(false),
    })
    this.#confirmation = new PlanConfirmation({
      ...{ origin: state.name, port, cache, runtime, messages: this.#messages },
      fairPart: () => this.#part.fairPart,
    })
    this.#renewal = new PlanRenewal({
      ...{ state, runtime, pace: this.#pace, wait: this.#wait, confirmation: this.#confirmation },
      reports: {
        isOnItsWay: () => this.#isOnItsWay,
        isAnyUnanswered: () => this.#unanswered > 0,
        answers: () => this.#answers,
        current: () => this.#current,
        send: (wantsFor) => void this.#report(true, true, wantsFor),
        plan: () => this.#plan,
        followCached: () => this.followCached(),
        followShared: (plan) => this.#followStored(plan, this.#part.fairPart ?? this.#part.share),
        failed: (error) => this.#meet(error),
      },
    })
  }

  /** Has it not reported yet? */
  get isNew(): boolean {
    return this.#messages.isNew
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
    // It may be a minute old.
    this.#confirmation.confirmed(Number.NEGATIVE_INFINITY)
    this.#followStored(stored.plan, stored.fairPart)
  }

  /** What it commands holds. Who has no share yet takes a fair part of its limit. */
  #followStored(plan: Plan, fairPart: number): void {
    this.#plan = plan
    this.#part = { share: this.#part.share || fairPart, fairPart }
    this.#state.follow(plan, this.#part, this.#options.runtime.now(), true)
  }

  /**
   * A visitor waits for the answer to a report: one that is on its way, or a new one. It waits 100 ms at the most.
   * `wantsFor`: the key of its class.
   */
  ask(usesCache: boolean, wantsFor?: string): Promise<void> {
    return this.#renewal.ask(usesCache, wantsFor)
  }

  get isCalm(): boolean {
    return this.#pace.isCalm
  }

  /** Was the plan in force last known to be the newest longer ago than reports are apart? */
  isPlanOld(nowMs: number): boolean {
    return this.#state.admission.isFollowing && this.#confirmation.isOld(nowMs)
  }

  /** A request needs a plan that is known to be the newest. It waits 100 ms at the most. */
  renew(background: Background, usesCache = false): Promise<void> {
    return this.#renewal.renew(background, usesCache)
  }

  #meet(error: unknown): void {
    const { runtime } = this.#options
    this.#pace.endCalm()
    if (isOverloaded(error)) this.#backOff.met(runtime.now(), runtime.coin())
  }

  /**
   * A request of this class has ended; null: it was not counted. Where the relay holds the cap on requests in flight, it must
   * know at once.
   */
  ended(background: Background, route: Route, classIndex: number | null): void {
    if (classIndex === null) return
    if (this.#state.admission.reportsEnds(route, classIndex, this.#options.runtime.now()))
      this.#hurried.end(background)
  }

  /** Is a report on its way whose answer can still be expected? */
  get #isOnItsWay(): boolean {
    const sinceMs = this.#options.runtime.now() - this.#reportedAtMs
    return this.#unanswered > 0 && sinceMs < OVERDUE_MS
  }

  /** Sends the commands of the origin, without waiting for the next report. */
  hurry(background: Background): void {
    this.#hurried.command(background)
  }

  async #reports(): Promise<void> {
    const { runtime } = this.#options
    let leftOut = 0
    const isStale = this.#state.admission.isStale(runtime.now())
    // The question of this request's draw is a report too, and says which limit it needs.
    const { admission } = this.#state
    if (isStale ? this.#isAnyApart : admission.isEachAsking(runtime.now())) await Promise.resolve()
    for (let spentMs = 0; spentMs < IN_A_ROW_MS; spentMs += this.#pace.everyMs) {
      const { everyMs } = this.#pace
      const waitMs = this.#reportedAtMs + everyMs - runtime.now()
      if (waitMs > 0) await runtime.sleep(Math.min(everyMs, waitMs))
      if (spentMs > 0 && this.#isDone) break
      // The request that comes after the pause schedules the next report.
      if (this.#backOff.leftMs(runtime.now()) > 0) break
      const mayBeLeftOut = leftOut < MOST_LEFT_OUT && !this.#pace.isDue(runtime.now())
      if (mayBeLeftOut && (await this.#leaveOut(runtime.now()))) {
        leftOut++
        spentMs = 0
        continue
      }
      // After a silence it goes out at once: whoever comes needs a new plan.
      const isAtOnce = spentMs === 0 && leftOut === 0 && waitMs <= 0
      const report = this.#report(isAtOnce, isAtOnce && isStale)
      // An answer that is late does not hold up the next report.
      await Promise.race([report, runtime.sleep(everyMs)])
      // The request behind a report at once was not counted yet, so it is looked for later.
      if (!isAtOnce && this.#isDone) break
    }
    // The next request schedules the next report. Until then there are no sweeps.
    this.#state.open.handOverAll(runtime.now())
    this.#scheduledAtMs = Number.NEGATIVE_INFINITY
  }

  /** Instead of a report: the sweep, and a look at the data centre's newest plan. False: that plan ends the calm. */
  async #leaveOut(nowMs: number): Promise<boolean> {
    this.#scheduledAtMs = nowMs
    this.#reportedAtMs = nowMs
    this.#pace.leftOut()
    this.#state.open.sweep(nowMs)
    if (await this.#confirmation.glance(this.#plan!)) this.#pace.endCalm()
    return this.#pace.isCalm
  }

  /** The outcome of requests in flight goes into a later report, and no other request may come to send it. */
  get #isDone(): boolean {
    return this.#state.open.size === 0 && !this.#state.hasNews && !this.#isTouched
  }

  /** `wants`: a draw needs an admission. `wantsFor`: the key of its class. */
  #report(asks: boolean, wants = false, wantsFor?: string): Promise<void> {
    this.#current = this.#sendReport(asks, wants, wantsFor)
    return this.#current
  }

  async #sendReport(asks: boolean, wants: boolean, wantsFor?: string): Promise<void> {
    const { runtime } = this.#options
    const nowMs = runtime.now()
    const counted = this.#state.drain(nowMs)
    const kind = { asks, wants, wantsFor, plan: this.#plan }
    const feedback = this.#messages.report(nowMs, kind, counted)
    this.#scheduledAtMs = nowMs
    this.#reportedAtMs = nowMs
    this.#pace.reported(nowMs)
    this.#isTouched = false
    this.#unanswered++
    try {
      const answer = this.#port.report(feedback, this.isCalm)
      this.#follow(checkedAnswer(await withTimeout(answer, runtime)), feedback.seq)
      this.#failures.over()
      this.#backOff.over()
      this.#messages.answered(feedback)
    } catch (error) {
      this.#meet(error)
      // A later report may have been answered since.
      if (feedback.seq > this.#answeredSeq) this.#pace.failed()
      if (feedback.commands) this.#state.commands.keep(feedback.commands)
      this.#failures.add(feedback, this.#plan, this.#part, runtime.now())
    } finally {
      this.#unanswered--
    }
    if (!this.#failures.isAny && this.#plan) await this.#confirmation.offer(this.#plan)
  }

  #follow(answer: ReportAnswer, seq: number): void {
    const given = readPlan(answer.plan)
    if (seq < this.#answeredSeq) return
    this.#answeredSeq = seq
    this.#messages.knows(given?.setup ?? null)
    if (given === null) return
    const nowMs = this.#options.runtime.now()
    const plan = newerPlan(this.#plan, given)!
    this.#answers++
    this.#plan = plan
    this.#part = answer
    this.#confirmation.confirmed(nowMs)
    this.#pace.follow(plan, answer.everyMs)
    this.#wait.over()
    this.#state.follow(plan, answer, nowMs)
  }
}
