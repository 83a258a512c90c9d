import { BackOff, isOverloaded } from '../lib/back-off.ts'
import { FailuresInARow } from '../lib/failures-in-a-row.ts'
import { Hedge } from '../lib/hedge.ts'
import { hasCommands } from '../protocol/commands.ts'
import { checkedAnswer, type ReportAnswer } from '../protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import { newerPlan, type Plan } from '../protocol/plan.ts'
import { readFeedback } from '../protocol/read-feedback.ts'
import { intervalFor, REPORT_EVERY_MS } from '../protocol/report-interval.ts'
import { AnswersOfLate } from './answers-of-late.ts'
import { ANSWERS_FOR_MS } from './relay-names.ts'
import { RelayParts } from './relay-parts.ts'
import { ReportAggregator } from './report-aggregator.ts'
import { SetupTime } from './setup-time.ts'

/** A relay reports as often as it is told. Its isolates' reports may be early by this part of the time, and are not kept. */
const FORWARD_AT = 0.9
/** The relay of a region reports more often, so that the way through it costs little time. There are few of them. */
const REGION_EVERY_MS = 300
const FEW_ISOLATES = 2
const CALM_EVERY_MS = 200
/** Commands of the origin are passed on sooner. Many of them within this time go together. */
const COMMANDS_EVERY_MS = 200
/** The coordinator cannot be reached if so many reports in a row have failed, about a second apart. */
const FAILURES_BEFORE_CUT_OFF = 3
/** How long the coordinator's answers take before any has come. */
const FIRST_ANSWER_MS = 100

interface RelayOptions {
  /** The relay's name in its reports. */
  readonly sender: string
  /** A relay that restarts under its old name must number its reports higher than before. @default 0 */
  readonly firstSeq?: number
  now(): number
  sleep(ms: number): Promise<void>
  /** A random number in [0, 1). @default 0.5 */
  coin?(): number
  /** Sends a report to the relay of a region; null: to the origin's coordinator. */
  send(feedback: Feedback, region: string | null): Promise<ReportAnswer>
  /** A report that no isolate waits for could not be sent. */
  warn(error: unknown): void
}

/**
 * The relay of one colo and origin, without network and timers: adds the feedback of its isolates up, sends it to
 * the coordinator as one report as often as it is told, and answers each isolate with the newest plan.
 *
 * Where many data centres report, the coordinator asks them to report to the relay of their region. That is the same
 * class one level up: its senders are relays.
 */
export class RelayCore {
  readonly #options: RelayOptions
  readonly #aggregator = new ReportAggregator()
  readonly #parts: RelayParts
  readonly #setupTime = new SetupTime()
  readonly #answers = new AnswersOfLate()
  readonly #hedge: Hedge
  #setup: Setup | null = null
  #newest: ReportAnswer = { plan: null, share: 0 }
  #answeredAtMs = Number.NEGATIVE_INFINITY
  /** When the last report or question was sent that was answered: since then the coordinator tells of changed plans. */
  #heardAtMs = Number.NEGATIVE_INFINITY
  /** A question to the coordinator that is on its way. */
  #asking: Promise<void> | null = null
  #seq: number
  #forwardedAtMs = Number.NEGATIVE_INFINITY
  #hasUnsent = false
  /** When the scheduled forward is due. */
  #forwardAtMs = Number.POSITIVE_INFINITY
  /** Reports to the coordinator that failed. */
  readonly #failures = new FailuresInARow()
  /** How often it was told to report. */
  #everyMs = REPORT_EVERY_MS
  readonly #backOff = new BackOff()
  /** The region of its data centre, and the one whose relay it reports to; null: none. */
  #region: string | null = null
  #via: string | null = null

  constructor(options: RelayOptions) {
    this.#options = options
    this.#parts = new RelayParts(this.#aggregator, options)
    this.#hedge = new Hedge(options, FIRST_ANSWER_MS)
    this.#seq = options.firstSeq ?? 0
  }

  /**
   * An invalid or repeated report is dropped, and answered like any other. A copy gets the answer of the first. `region`: where
   * the data centre is.
   */
  async handle(given: unknown, region?: string): Promise<ReportAnswer> {
    const feedback = readFeedback(given)
    if (feedback === null) return this.#answerTo('', null)
    if (feedback.confirms) return this.#confirm(feedback)
    const nowMs = this.#options.now()
    const known = this.#answers.toCopy(feedback, nowMs)
    if (known !== null) return known
    if (region !== undefined) this.#region = region
    const answer = this.#receive(feedback, nowMs)
    this.#answers.add(feedback, answer, nowMs)
    return answer
  }

  async #receive(feedback: Feedback, nowMs: number): Promise<ReportAnswer> {
    const { origin, sender } = feedback
    if (feedback.asks) this.#parts.asked(nowMs)
    const setup = feedback.setup && this.#setupTime.bounded(feedback.setup, nowMs)
    if (setup && setup.sinceMs > (this.#setup?.sinceMs ?? -1)) this.#setup = setup
    const isTaken = this.#aggregator.add(feedback, nowMs, (taken) =>
      this.#parts.settle(taken, nowMs),
    )
    if (isTaken) this.#hasUnsent = true
    if (this.#hasUnsent) {
      const usualMs = feedback.isolates === undefined ? this.#usualMs : REGION_EVERY_MS
      const everyMs = this.#aggregator.hasCommands ? COMMANDS_EVERY_MS : usualMs
      const dueMs = this.#forwardedAtMs + everyMs - nowMs
      // A clock that was set back keeps nothing back.
      const waitMs = Math.max(dueMs > everyMs ? 0 : dueMs, this.#backOff.leftMs(nowMs))
      if (waitMs > 0) void this.#forwardAfter(origin, waitMs)
      // A visitor who waits gets the plan that is here, if it is fresh.
      else if (feedback.asks && this.#isFresh(nowMs))
        void this.#forward(origin).catch(this.#options.warn)
      else await this.#forward(origin).catch(this.#options.warn)
    }
    if (feedback.isolates !== undefined) return this.#answerToRelay(sender)
    // Nobody waits any more for what an older report asked for.
    return this.#answerTo(sender, isTaken ? feedback : null)
  }

  /** The coordinator has a plan that must not wait for this relay's next report. */
  take(given: Plan): void {
    const plan = newerPlan(this.#newest.plan, given)
    this.#newest = { ...this.#newest, plan }
    // Before its first report the relay has no share.
    if (plan === given && this.#answeredAtMs > Number.NEGATIVE_INFINITY)
      this.#parts.follow(plan, this.#newest)
  }

  /**
   * Somebody asks for the newest plan and reports nothing. The coordinator gives each changed plan to the relays that it
   * has heard of, so a relay asks it only after a silence.
   */
  async #confirm({ origin }: Feedback): Promise<ReportAnswer> {
    const nowMs = this.#options.now()
    const isKnown = Math.abs(nowMs - this.#heardAtMs) < ANSWERS_FOR_MS
    if (!isKnown || this.#newest.plan === null) {
      this.#asking ??= this.#ask(origin)
      await this.#asking.finally(() => (this.#asking = null))
    }
    if (this.#isCutOff(this.#options.now())) throw new Error('The coordinator cannot be reached')
    return { plan: this.#newest.plan, share: 0 }
  }

  async #ask(origin: string): Promise<void> {
    const head = this.#head(origin, this.#options.now())
    const question = { ...head, fromMs: head.toMs, routes: {}, confirms: true } as const
    const { plan } = checkedAnswer(await this.#send(question))
    this.#newest = { ...this.#newest, plan: newerPlan(this.#newest.plan, plan) }
    this.#heardAtMs = head.toMs
  }

  #send(message: Feedback): Promise<ReportAnswer> {
    const via = this.#via
    const send = () => this.#options.send(message, via)
    // In calm a report that is late does no harm.
    return this.#newest.plan?.calmMs === undefined ? this.#hedge.send(send) : send()
  }

  /** A report that is lost with all its copies makes one tick less exact. Its commands are sent again. */
  async #forward(origin: string): Promise<void> {
    this.#chooseWay(origin)
    const report = this.#report(origin)
    this.#forwardedAtMs = report.toMs
    this.#hasUnsent = false
    const parts = this.#aggregator.relayParts(report.toMs)
    try {
      const answer = checkedAnswer(await this.#send(report))
      const { plan, share, own, viaRegion, everyMs } = answer
      this.#newest = {
        ...{ plan: newerPlan(this.#newest.plan, plan), share },
        ...(own ? { own } : {}),
        ...(viaRegion ? { viaRegion } : {}),
      }
      this.#parts.setRelays(parts)
      this.#everyMs = everyMs ?? REPORT_EVERY_MS
      this.#failures.over()
      this.#backOff.over()
      this.#answeredAtMs = this.#options.now()
      this.#heardAtMs = report.toMs
      if (this.#newest.plan) this.#parts.follow(this.#newest.plan, this.#newest)
    } catch (error) {
      this.#failures.add(report.toMs)
      // A later report may have been answered since. Otherwise the receiver may have more than it can take.
      if (report.toMs > this.#heardAtMs) this.#everyMs = REPORT_EVERY_MS
      if (isOverloaded(error)) this.#backOff.met(this.#options.now(), this.#options.coin?.() ?? 0.5)
      if (report.commands) this.#aggregator.keep(report.commands)
      throw error
    }
  }

  /**
   * Reports to the relay of the region, or no longer. An empty last report the old way takes its requests in flight
   * away there, so that they are not counted twice.
   */
  #chooseWay(origin: string): void {
    const via = this.#newest.viaRegion ? this.#region : null
    if (via === this.#via) return
    const nowMs = this.#options.now()
    const last = { ...this.#head(origin, nowMs), fromMs: nowMs, routes: {} }
    void this.#options.send(last, this.#via).catch(this.#options.warn)
    this.#via = via
  }

  /** For a few isolates in calm a timer that waits for the next report costs more than a report for each. */
  get #usualMs(): number {
    const isCalm = this.#newest.plan?.calmMs !== undefined
    if (isCalm && this.#aggregator.isolates <= FEW_ISOLATES) return CALM_EVERY_MS
    return FORWARD_AT * (isCalm ? REPORT_EVERY_MS : this.#everyMs)
  }

  /** Sends the last feedback of a rush, after which no further report may come. */
  async #forwardAfter(origin: string, ms: number): Promise<void> {
    const atMs = this.#options.now() + ms
    if (atMs >= this.#forwardAtMs) return
    this.#forwardAtMs = atMs
    await this.#options.sleep(ms)
    if (this.#forwardAtMs === atMs) this.#forwardAtMs = Number.POSITIVE_INFINITY
    if (this.#hasUnsent) await this.#forward(origin).catch(this.#options.warn)
  }

  /** All feedback since the last report, as one report of the whole colo. */
  #report(origin: string): Feedback {
    const nowMs = this.#options.now()
    const { routes, servers, commands, tiers, lengthMs, planIssuedAtMs } =
      this.#aggregator.drain(nowMs)
    const known = this.#newest.plan?.setup
    const setup = this.#setup
    const isUnknown =
      setup !== null && known?.id !== setup.id && setup.sinceMs > (known?.sinceMs ?? -1)
    const { relays } = this.#aggregator
    return {
      ...this.#head(origin, nowMs),
      fromMs: nowMs - lengthMs,
      ...(planIssuedAtMs === null ? {} : { planIssuedAtMs }),
      ...(relays > 0 ? { relays } : {}),
      ...(isUnknown ? { setup } : {}),
      routes,
      ...(Object.keys(servers).length > 0 ? { servers } : {}),
      ...(hasCommands(commands) ? { commands } : {}),
      ...(Object.keys(tiers).length > 0 ? { tiers } : {}),
    }
  }

  #head(origin: string, nowMs: number): Omit<Feedback, 'fromMs' | 'routes'> {
    const { sender } = this.#options
    const { isolates } = this.#aggregator
    return { version: FEEDBACK_VERSION, origin, sender, seq: this.#seq++, toMs: nowMs, isolates }
  }

  #answerToRelay(sender: string): ReportAnswer {
    if (this.#isCutOff(this.#options.now())) throw new Error('The coordinator cannot be reached')
    return { ...this.#newest, ...this.#parts.ofRelay(sender), ...this.#interval }
  }

  /**
   * The newest plan, and the isolate's parts of the colo's shares. While the coordinator cannot be reached, every
   * isolate gets an error. With an old plan instead, none of them would switch to its `failure` rule.
   */
  async #answerTo(sender: string, feedback: Feedback | null): Promise<ReportAnswer> {
    if (this.#isCutOff(this.#options.now())) throw new Error('The coordinator cannot be reached')
    if (this.#newest.plan === null || !this.#aggregator.isKnown(sender))
      return { plan: this.#newest.plan, share: 0 }
    const parts = feedback?.wants
      ? await this.#parts.inTurn(feedback)
      : this.#parts.ofIsolate(sender)
    // Where draws ask, they bring the plans. A draw that comes while a usual report is on its way would wait in vain.
    const interval = parts.lease?.asks === undefined ? this.#interval : {}
    return { plan: this.#newest.plan, ...interval, ...parts }
  }

  /** How often its senders are to report. */
  get #interval(): Pick<ReportAnswer, 'everyMs'> {
    return intervalFor(this.#newest.plan, this.#aggregator.senders)
  }

  /** A single report that is lost says nothing. Until the plan is old, isolates get it all the same. */
  #isCutOff(nowMs: number): boolean {
    const { count } = this.#failures
    return count >= FAILURES_BEFORE_CUT_OFF || (count > 0 && !this.#isFresh(nowMs))
  }

  /** Is the newest plan so new that a visitor need not wait for a newer one? */
  #isFresh(nowMs: number): boolean {
    const { plan } = this.#newest
    return plan !== null && nowMs - this.#answeredAtMs < plan.goodForMs
  }
}
