import type { CapacityEvent } from '../learners/learner-interface.ts'
import { hasCommands } from '../protocol/commands.ts'
import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback, PoolServer, ServerDrain, Setup } from '../protocol/feedback.ts'
import { withoutTickets } from '../protocol/merge-reports.ts'
import type { Plan } from '../protocol/plan.ts'
import { readFeedback } from '../protocol/read-feedback.ts'
import { intervalFor } from '../protocol/report-interval.ts'
import { allocateLimit, demandPart } from './allocate-limit.ts'
import { calmSinceAfter, withCalm } from './calm.ts'
import type { OriginCapacity } from './capacity/origin-capacity.ts'
import { type Commands, commandedAfter, withCommands } from './command-state.ts'
import { LastMinute } from './last-minute.ts'
import type { Override } from './operator/override.ts'
import { OverridesInForce } from './operator/overrides-in-force.ts'
import {
  type CoordinatorView,
  type ReportCounts,
  type RouteStatus,
  routeStatuses,
} from './operator/route-status.ts'
import { OriginLearning } from './origin-learning.ts'
import { poolWith, poolWithDrain } from './pool-change.ts'
import { RegionSwitch } from './region-switch.ts'
import { type AggregatedReports, FORGET_AFTER_MS, ReportAggregator } from './report-aggregator.ts'
import { capacityChange, serversOf, withServers } from './set-servers.ts'
import { SetupTime } from './setup-time.ts'
import { isSilence, silenceMs } from './silence.ts'
import { type CoordinatorState, isStoredState, stateWith } from './state.ts'
import { isEnoughToTick, isTickDue } from './tick-due.ts'

/**
 * The coordinator of one origin, without storage, alarm and network: adds feedback up, asks the learner for a
 * limit once a tick, allocates the limit to the classes and makes the plan.
 */
export class CoordinatorCore {
  readonly #aggregator = new ReportAggregator()
  readonly #regions = new RegionSwitch()
  readonly #setupTime = new SetupTime()
  readonly #drained: PoolServer[] = []
  readonly #learning: OriginLearning
  readonly #overrides = new OverridesInForce()
  readonly #lastMinute = new LastMinute()
  readonly #reports = { taken: 0, repeated: 0, refused: 0 }
  #lastReportAtMs = 0
  #hasNews = false
  #state: CoordinatorState | null = null
  #plan: Plan | null = null
  /** Does an operator look on, second by second? Then nobody reports less often. */
  isWatched = false
  /** Why a stored state was not used, for the log; null: it was, or there was none. */
  warning: string | null = null

  /** `countsAlike`: all classes cost alike. The lab compares with that. */
  constructor(stored?: unknown, countsAlike = false) {
    this.#learning = new OriginLearning(countsAlike)
    if (isStoredState(stored)) this.#adopt(stored.setup, stored)
    else if (stored !== undefined)
      this.warning = 'Ignoring the stored state: its version is unknown or it is damaged.'
  }

  /** Replaced at each tick and each new setup, never written into; null: no setup is known yet. */
  get state(): CoordinatorState | null {
    return this.#state
  }

  get plan(): Plan | null {
    return this.#plan
  }

  /** The ticks of the last minute since the coordinator started, oldest first. */
  get ticks(): LastMinute['ticks'] {
    return this.#lastMinute.ticks
  }

  /** Reports since the coordinator started. */
  get reports(): ReportCounts {
    return this.#reports
  }

  /** How many servers the origin needs. */
  get capacity(): OriginCapacity {
    return this.#learning.capacity
  }

  get tickMs(): number {
    return this.#state?.setup.tickMs ?? 1000
  }

  /** A tick that no report has begun is due after this time. */
  get alarmMs(): number {
    return Math.max(this.tickMs, this.#plan?.calmMs ?? 0)
  }

  /** No report has come for so long that no tick is needed. */
  isIdle(nowMs: number): boolean {
    return nowMs - this.#lastReportAtMs > FORGET_AFTER_MS
  }

  /**
   * Takes a report, ticks if one is due, and answers with the newest plan and the sender's share. A tick is due
   * when the reports cover its time, so that reports drive the ticks and no clock is needed.
   */
  handle(given: unknown, nowMs: number): ReportAnswer {
    const feedback = readFeedback(given)
    if (feedback === null) {
      this.#reports.refused++
      return { plan: this.#plan, share: 0 }
    }
    this.#endOverrides(nowMs)
    // A relay of which nothing was heard for a time. It reports nothing.
    if (feedback.confirms) return { plan: this.#plan, share: 0 }
    // What was left too little to tick says nothing about the time after a silence.
    const lastMs = this.#lastReportAtMs
    if (lastMs > 0 && isSilence(nowMs - lastMs)) this.#drain(lastMs)
    this.#lastReportAtMs = nowMs
    if (feedback.setup) this.#considerSetup(this.#setupTime.bounded(feedback.setup, nowMs))
    const onTaken = (taken: Feedback) => this.#learning.observe(taken, nowMs)
    this.#reports[this.#aggregator.add(feedback, nowMs, onTaken) ? 'taken' : 'repeated']++
    const commands = this.#aggregator.takeCommands()
    if (hasCommands(commands)) this.command(commands, nowMs)
    const parts = this.#aggregator.draws.partsOf(feedback.sender, nowMs)
    if (isTickDue(this.#state, this.#aggregator.lengthMs(nowMs))) this.tick(nowMs)
    const viaRegion = this.#regions.isOn(this.#aggregator.relays)
    const interval = intervalFor(this.#plan, this.#aggregator.senders)
    return { plan: this.#plan, ...parts, ...interval, ...(viaRegion ? { viaRegion } : {}) }
  }

  /**
   * What the origin or an operator commands is in the plan at once, not with the next tick. For half a minute after it no
   * plan says calm, so an isolate that follows a plan of calm learns of every command.
   */
  command(commands: Commands, nowMs: number): void {
    const state = this.#state
    if (!state || !this.#plan) return
    const routes = new Set(state.setup.routes.map(({ name }) => name))
    const commanded = commandedAfter(state.commanded, commands, routes)
    if (JSON.stringify(commanded) === JSON.stringify(state.commanded)) return
    const seq = state.seq + 1
    this.#state = { ...state, commanded, seq, calmSinceMs: null }
    const { calmMs: _, ...plan } = withCommands(this.#plan, commanded)
    this.#plan = { ...plan, seq, issuedAtMs: nowMs }
    this.#hasNews = true
  }

  /** In a time without reports: capacity may be given back. True: the state has changed. */
  rest(nowMs: number): boolean {
    if (!this.#state || !this.capacity.rest(nowMs)) return false
    this.#state = { ...this.#state, capacity: this.capacity.state }
    return true
  }

  /** Has the plan changed between two ticks, so that relays must get it at once? True only once for each change. */
  takeNews(): boolean {
    const hadNews = this.#hasNews
    this.#hasNews = false
    return hadNews
  }

  /** Tells the learner of more or less capacity with the next tick. */
  announce(event: CapacityEvent): void {
    this.#learning.announce(event)
  }

  /** Learns from the reports since the last tick and makes a plan. False: the reports cover too little time. */
  tick(nowMs: number): boolean {
    const state = this.#state
    if (!state || !this.#learning.learner) return false
    if (!isEnoughToTick(state, this.#aggregator.lengthMs(nowMs))) return false
    this.#endOverrides(nowMs)
    const setup = this.#overrides.setupOf(state)
    const reports = this.#drain(nowMs)
    const { routes, lengthMs } = reports
    const silentMs = silenceMs(state.issuedAtMs, lengthMs, nowMs)
    const tick = { setup, reports, silentMs, nowMs }
    const { next, costs, sample, drained } = this.#learning.tick(state, tick)
    this.#drained.push(...drained)
    const queued = { ...next, queues: this.#overrides.queuesAfter(next, costs, routes, lengthMs) }
    const plan = this.#learning.loop.corrected(this.#overrides.planOf(queued, costs))
    const demand = demandPart(queued, allocateLimit(queued, costs))
    const calm = { plan, demand, sample, isWatched: this.isWatched, silentMs, nowMs }
    this.#state = { ...queued, calmSinceMs: calmSinceAfter(state.calmSinceMs, calm) }
    this.#plan = withCalm(plan, this.#state.calmSinceMs, demand)
    this.#learning.issued(nowMs, next, this.#plan.calmMs !== undefined)
    return true
  }

  #drain(nowMs: number): AggregatedReports {
    const reports = this.#aggregator.drain(nowMs)
    const { lengthMs, routes } = reports
    const tick = { atMs: nowMs, lengthMs, routes: withoutTickets(routes) }
    if (lengthMs > 0) this.#lastMinute.add(tick, this.#plan)
    return reports
  }

  /**
   * Sets the servers of the pool instead of the configured ones; null: the configured ones again. The learner is told of
   * the change. False: the origin is not known yet.
   */
  setServers(servers: readonly PoolServer[] | null, nowMs: number): boolean {
    if (!this.#state) return false
    const { state, event } = withServers(this.#state, servers, nowMs)
    if (event) this.announce(event)
    this.#state = state
    this.replan(nowMs)
    return true
  }

  /** Takes a server out of the pool without losing a session. A text says why it cannot be done. */
  drainServer(url: string, drain: ServerDrain, nowMs: number): string | null {
    if (!this.#state) return 'The origin has had no traffic yet.'
    const pool = poolWithDrain(serversOf(this.#state), url, drain)
    if (typeof pool === 'string') return pool
    this.setServers(pool, nowMs)
    return null
  }

  addServer(added: PoolServer, nowMs: number): boolean {
    if (!this.#state) return false
    return this.setServers(poolWith(serversOf(this.#state), added), nowMs)
  }

  /** The servers that have left the pool since the last call. */
  takeDrained(): readonly PoolServer[] {
    return this.#drained.splice(0)
  }

  /** Takes the overrides of operators into force with a new plan at once. The oldest comes first. */
  override(overrides: readonly Override[], nowMs: number): void {
    this.#overrides.set(overrides, nowMs)
    this.replan(nowMs)
  }

  /** A setup for a coordinator that has none yet. Any setup in a report replaces it. */
  introduce(setup: Setup): void {
    if (!this.#state) this.#adopt({ ...setup, sinceMs: 0 }, {})
  }

  /**
   * Starts the learner anew, or from a state that it had before. The last decision holds until the next tick. Returns
   * the state that the learner had until now.
   */
  relearn(stored: unknown, nowMs: number): unknown {
    const before = this.#state?.learner
    if (!this.#state) return before
    const learner = this.#learning.relearn(this.#state.setup, stored)
    this.#state = { ...this.#state, learner }
    this.replan(nowMs)
    return before
  }

  /** What operators see of the routes with these names; null: of all. */
  status(
    nowMs = this.#plan?.issuedAtMs ?? 0,
    names: readonly string[] | null = null,
  ): readonly RouteStatus[] {
    const view = this.#view(nowMs)
    return view === null ? [] : routeStatuses(view, nowMs, names)
  }

  #view(nowMs: number): CoordinatorView | null {
    const [state, plan, { learner }] = [this.#state, this.#plan, this.#learning]
    if (!state || !plan || !learner) return null
    return {
      ...{ state, plan, learner, reports: this.#reports, overrides: this.#overrides.list },
      lastMinute: this.#lastMinute,
      senders: this.#aggregator.shares(nowMs),
    }
  }

  /** Of two setups the later one is used. */
  #considerSetup(setup: Setup): void {
    const current = this.#state?.setup
    if (current && (setup.id === current.id || setup.sinceMs <= current.sinceMs)) return
    const event = current && this.#state!.pool === null ? capacityChange(current, setup) : null
    if (event) this.announce(event)
    this.#adopt(setup, { ...this.#state, calmSinceMs: null })
  }

  /** What was learned is kept, as far as the new setup's learner can use it. */
  #adopt(setup: Setup, from: Partial<CoordinatorState>): void {
    const { note, learner, classLimits } = this.#learning.adopt(setup, from)
    this.warning = note
    this.#aggregator.draws.watch(Object.keys(classLimits))
    this.#state = stateWith(setup, learner, { ...from, classLimits })
    this.#plan = this.#overrides.planOf(this.#state)
  }

  #endOverrides(nowMs: number): void {
    if (this.#overrides.hasEnded(nowMs)) this.override(this.#overrides.list, nowMs)
  }

  /** A plan between two ticks, after something other than the traffic has changed. It ends the calm. */
  replan(nowMs: number): void {
    if (!this.#state) return
    this.#state = { ...this.#state, seq: this.#state.seq + 1, calmSinceMs: null }
    this.#plan = { ...this.#overrides.planOf(this.#state), issuedAtMs: nowMs }
    this.#hasNews = true
  }
}
