import type { CapacityEvent, Learner } from '../learners/learner-interface.ts'
import { createLearner } from '../learners/registry.ts'
import { hasCommands, type OriginCommands } from '../protocol/commands.ts'
import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import type { PoolServer, RouteSetup, ServerDrain, Setup } from '../protocol/feedback.ts'
import { type RoutesFeedback, withoutTickets } from '../protocol/merge-reports.ts'
import type { Plan } from '../protocol/plan.ts'
import { readFeedback } from '../protocol/read-feedback.ts'
import { allocateLimit, classRates, demandPart } from './allocate-limit.ts'
import { buildPlan } from './build-plan.ts'
import { buildSample, knownSessionRequests } from './build-sample.ts'
import { calmSinceAfter, withCalm } from './calm.ts'
import { OriginCapacity } from './capacity/origin-capacity.ts'
import { type ClassCosts, costsOf, serviceTotalsAfter } from './class-cost.ts'
import { ClassLimits } from './class-limits.ts'
import { type ClassSetup, classTargetMs, targetMsOf } from './class-sla.ts'
import { commandedAfter, withCommands, withoutExpired } from './command-state.ts'
import { debtAfter } from './guarantee-debt.ts'
import { LastMinute, type TickRecord } from './last-minute.ts'
import { LoopMeasures } from './loop-measures.ts'
import { measuredAfter, unprotectedDecision } from './measured-capacity.ts'
import { nextEndMs, type Override, setupWith, unended } from './operator/override.ts'
import { planWithModes, stateInForce } from './operator/plan-in-force.ts'
import {
  type CoordinatorView,
  type ReportCounts,
  type RouteStatus,
  routeStatuses,
} from './operator/route-status.ts'
import { serverLoadAfter } from './origin-load.ts'
import { drainsAfter, poolWith, poolWithDrain, weightOf, withPool } from './pool-change.ts'
import { downOf, healthAfter, risingWith, withLastRequests } from './pool-health.ts'
import { decideQuality } from './quality/quality-control.ts'
import { type QueueStates, queuesAfter } from './queue/queue-rates.ts'
import { FORGET_AFTER_MS, ReportAggregator } from './report-aggregator.ts'
import { SetupTime } from './setup-time.ts'
import { arrivalsAfterSilence, learnSilence, silenceMs } from './silence.ts'
import { type CoordinatorState, isStoredState, stateWith } from './state.ts'
import { arrivalsAfter, targetsFor } from './tick-arrivals.ts'

/** Reports come a little early or late, so a tick is due when this part of its time is covered. */
const DUE_AT = 0.95
/** With more data centres than this, relays report to the relay of their region, until there are fewer again. */
const REGIONS_FROM = 100
const REGIONS_UNTIL = 60

/**
 * The coordinator of one origin, without storage, alarm and network: adds feedback up, asks the learner for a
 * limit once a tick, allocates the limit to the classes and makes the plan.
 */
export class CoordinatorCore {
  readonly #aggregator = new ReportAggregator()
  readonly #classLimits = new ClassLimits()
  readonly #setupTime = new SetupTime()
  readonly #drained: PoolServer[] = []
  readonly #loop = new LoopMeasures()
  readonly #lastMinute = new LastMinute()
  readonly #reports = { taken: 0, repeated: 0, refused: 0 }
  /** How many servers the origin needs. */
  readonly capacity = new OriginCapacity()
  #announced: CapacityEvent[] = []
  #lastReportAtMs = 0
  #hasNews = false
  #isInRegions = false
  #learner: Learner | null = null
  /** Overrides of operators that have not ended, the oldest first. */
  #overrides: readonly Override[] = []
  #nextEndMs = Number.POSITIVE_INFINITY
  #state: CoordinatorState | null = null
  #plan: Plan | null = null
  /** Does an operator look on, second by second? Then nobody reports less often. */
  isWatched = false
  /** Why a stored state was not used, for the log; null: it was, or there was none. */
  warning: string | null = null

  constructor(stored?: unknown) {
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
  get ticks(): readonly TickRecord[] {
    return this.#lastMinute.ticks
  }

  /** Reports since the coordinator started. */
  get reports(): ReportCounts {
    return this.#reports
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
    this.#lastReportAtMs = nowMs
    this.#endOverrides(nowMs)
    if (feedback.setup) this.#considerSetup(this.#setupTime.bounded(feedback.setup, nowMs))
    if (this.#aggregator.add(feedback, nowMs)) this.#reports.taken++
    else this.#reports.repeated++
    const commands = this.#aggregator.takeCommands()
    if (hasCommands(commands)) this.command(commands, nowMs)
    const share = this.#aggregator.shareOf(feedback.sender, nowMs)
    if (this.#aggregator.lengthMs(nowMs) >= this.tickMs * DUE_AT) this.tick(nowMs)
    return { plan: this.#plan, share, ...(this.#hasRegions() ? { viaRegion: true } : {}) }
  }

  /** Do so many data centres report that each region reports as one? */
  #hasRegions(): boolean {
    const { relays } = this.#aggregator
    this.#isInRegions = relays > (this.#isInRegions ? REGIONS_UNTIL : REGIONS_FROM)
    return this.#isInRegions
  }

  /** What the origin or an operator commands is in the plan at once, not with the next tick. */
  command(commands: OriginCommands, nowMs: number): void {
    const state = this.#state
    if (!state || !this.#plan) return
    const routes = new Set(state.setup.routes.map(({ name }) => name))
    const commanded = commandedAfter(state.commanded, commands, routes)
    if (JSON.stringify(commanded) === JSON.stringify(state.commanded)) return
    this.#state = { ...state, commanded }
    const { calmMs: _, ...plan } = withCommands(this.#plan, commanded)
    this.#plan = { ...plan, issuedAtMs: nowMs }
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

  /** The relays that report, by their names. */
  get senders(): readonly string[] {
    return this.#aggregator.senderNames
  }

  /** Tells the learner of more or less capacity with the next tick. */
  announce(event: CapacityEvent): void {
    this.#announced.push(event)
  }

  /** Learns from the reports since the last tick and makes a plan. False: the reports cover too little time. */
  tick(nowMs: number): boolean {
    const state = this.#state
    // Less than half a tick is too little to learn from. It waits for the next tick.
    if (!state || !this.#learner || this.#aggregator.lengthMs(nowMs) < this.tickMs / 2) return false
    this.#endOverrides(nowMs)
    const setup = setupWith(withPool(state.setup, state.pool), this.#overrides)
    const { routes, servers, tiers, lengthMs, planIssuedAtMs } = this.#aggregator.drain(nowMs)
    const silentMs = silenceMs(state.issuedAtMs, lengthMs, nowMs)
    const serviceTotals = serviceTotalsAfter(state.serviceTotals, setup, routes, lengthMs)
    const costs = costsOf(serviceTotals)
    const { health, event } = healthAfter(state.poolHealth, setup.servers ?? [], servers, nowMs)
    if (event !== null) this.announce(event)
    const drains = drainsAfter(
      state.pool ?? [],
      servers,
      state.poolHealth.lastRequests ?? {},
      nowMs,
    )
    this.#drained.push(...drains.drained)
    const targetOf = (route: RouteSetup): number => targetMsOf(route, state.targets)
    const shown = {
      setup,
      routes,
      lengthMs,
      targetOf: (route: RouteSetup, klass: ClassSetup) =>
        classTargetMs(route, klass, state.targets),
      capacity: this.#announced,
    }
    this.#classLimits.tick((key) => buildSample({ ...shown, isIn: (other) => other === key }))
    const sample = {
      ...buildSample({
        ...shown,
        isIn: (key) => this.#classLimits.states[key] === undefined,
        costs,
        knownPeak: this.capacity.knownPeak(nowMs),
      }),
      ...this.#loop.measure(planIssuedAtMs, lengthMs, nowMs),
    }
    this.#loop.observe(sample, state.decision.inFlightCap != null)
    learnSilence(this.#learner, sample, this.tickMs, silentMs)
    const measured = measuredAfter(state.measured, { sample, events: this.#announced, nowMs })
    this.#announced = []
    this.#lastMinute.add({ atMs: nowMs, lengthMs, routes: withoutTickets(routes) })
    const isWatching = setup.routes.every(({ mode }) => mode !== 'enforce')
    // An announced change must reach the learner in any case.
    const learned =
      isWatching && measured.isDrowning && sample.capacity.length === 0
        ? unprotectedDecision(measured, sample)
        : this.#learner.update(sample)
    const before = arrivalsAfterSilence(state.arrivals, silentMs)
    const arrivals = arrivalsAfter(setup, routes, lengthMs, before)
    const pool = setup.servers ?? []
    const poolServers = pool.length > 0 ? pool.length - downOf(health, pool).length : null
    this.capacity.tick({ nowMs, setup, sample, tiers, decision: learned, arrivals, poolServers })
    const {
      quality,
      event: lighter,
      decision,
    } = decideQuality(state.quality, {
      ...{ setup, routes, targetOf, sample },
      decision: this.capacity.held(learned),
    })
    if (lighter !== null) this.announce(lighter)
    const next: CoordinatorState = {
      ...state,
      learner: this.#learner.state,
      decision,
      seq: state.seq + 1,
      issuedAtMs: nowMs,
      arrivals,
      targets: targetsFor(setup, arrivals, state.targets),
      sessionRequests: (knownSessionRequests(setup, routes) * 1000) / lengthMs,
      guaranteeDebt: debtAfter(state.guaranteeDebt, setup, routes, nowMs - state.issuedAtMs),
      serviceTotals,
      serverLoad: serverLoadAfter(state.serverLoad, routes),
      pool: drains.pool ?? state.pool,
      poolHealth: withLastRequests(health, drains.lastRequests),
      commanded: withoutExpired(state.commanded, nowMs),
      quality,
      capacity: this.capacity.state,
      classLimits: this.#classLimits.states,
      measured,
    }
    const queued = { ...next, queues: this.#queuesAfter(next, costs, routes, lengthMs) }
    const plan = this.#loop.corrected(this.#planFrom(queued, costs))
    const demand = demandPart(queued, allocateLimit(queued, costs))
    const { isWatched } = this
    const calm = { plan, demand, sample, isWatched, silentMs, nowMs }
    this.#state = { ...queued, calmSinceMs: calmSinceAfter(state.calmSinceMs, calm) }
    this.#plan = withCalm(plan, this.#state.calmSinceMs, demand)
    this.#loop.issued(nowMs, decision, this.#plan.calmMs !== undefined)
    return true
  }

  /**
   * Sets the servers of the pool instead of the configured ones; null: the configured ones again. The learner is told of
   * the change. False: the origin is not known yet.
   */
  setServers(servers: readonly PoolServer[] | null, nowMs: number): boolean {
    const state = this.#state
    if (!state) return false
    const before = withPool(state.setup, state.pool)
    const after = withPool(state.setup, servers)
    this.#announceChange(before, after)
    const rising = risingWith(state.poolHealth, before.servers, after.servers, nowMs)
    this.#state = { ...state, pool: servers, poolHealth: { ...state.poolHealth, rising } }
    this.#replan(nowMs)
    this.#hasNews = true
    return true
  }

  /** More or fewer servers are a change of capacity. */
  #announceChange(before: Setup, after: Setup): void {
    const event = { before: weightOf(before), after: weightOf(after) }
    if (event.before > 0 && event.after > 0 && event.before !== event.after) this.announce(event)
  }

  /** Takes a server out of the pool without losing a session. A text says why it cannot be done. */
  drainServer(url: string, drain: ServerDrain, nowMs: number): string | null {
    const state = this.#state
    if (!state) return 'The origin has had no traffic yet.'
    const pool = poolWithDrain(withPool(state.setup, state.pool).servers ?? [], url, drain)
    if (typeof pool === 'string') return pool
    this.setServers(pool, nowMs)
    return null
  }

  addServer(added: PoolServer, nowMs: number): boolean {
    const state = this.#state
    if (!state) return false
    return this.setServers(poolWith(withPool(state.setup, state.pool).servers ?? [], added), nowMs)
  }

  /** The servers that have left the pool since the last call. */
  takeDrained(): readonly PoolServer[] {
    return this.#drained.splice(0)
  }

  /** Takes the overrides of operators into force with a new plan at once. The oldest comes first. */
  override(overrides: readonly Override[], nowMs: number): void {
    this.#overrides = unended(overrides, nowMs)
    this.#nextEndMs = nextEndMs(this.#overrides)
    this.#replan(nowMs)
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
    const { learner } = createLearner(this.#state.setup.learner, stored)
    this.#learner = learner
    this.#state = { ...this.#state, learner: learner.state }
    this.#replan(nowMs)
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
    const [state, plan, learner] = [this.#state, this.#plan, this.#learner]
    if (!state || !plan || !learner) return null
    return {
      ...{ state, plan, learner, reports: this.#reports, overrides: this.#overrides },
      lastMinute: this.#lastMinute,
      senders: this.#aggregator.shares(nowMs),
    }
  }

  /** Of two setups the later one is used. */
  #considerSetup(setup: Setup): void {
    const current = this.#state?.setup
    if (current && (setup.id === current.id || setup.sinceMs <= current.sinceMs)) return
    if (current && this.#state!.pool === null) this.#announceChange(current, setup)
    this.#adopt(setup, { ...this.#state, calmSinceMs: null })
  }

  /** What was learned is kept, as far as the new setup's learner can use it. */
  #adopt(setup: Setup, from: Partial<CoordinatorState>): void {
    const { learner, note } = createLearner(setup.learner, from.learner)
    this.#learner = learner
    this.warning = note
    this.capacity.adopt(setup, from.capacity)
    this.#classLimits.adopt(setup, from.classLimits)
    const classLimits = this.#classLimits.states
    this.#state = stateWith(setup, learner.state, { ...from, classLimits })
    this.#plan = this.#planFrom(this.#state)
  }

  #endOverrides(nowMs: number): void {
    if (nowMs >= this.#nextEndMs) this.override(this.#overrides, nowMs)
  }

  /** A plan between two ticks, after something other than the traffic has changed. */
  #replan(nowMs: number): void {
    if (!this.#state) return
    this.#state = { ...this.#state, seq: this.#state.seq + 1, calmSinceMs: null }
    this.#plan = { ...this.#planFrom(this.#state), issuedAtMs: nowMs }
  }

  /** The waiting rooms move at the rate that the limit in force gives their classes. */
  #queuesAfter(
    state: CoordinatorState,
    costs: ClassCosts,
    routes: RoutesFeedback,
    lengthMs: number,
  ): QueueStates {
    const inForce = stateInForce(state, this.#overrides)
    const rates = classRates(inForce, allocateLimit(inForce, costs))
    const tick = { rates, seconds: lengthMs / 1000, nowMs: state.issuedAtMs }
    return queuesAfter(state.queues, state.setup, routes, tick)
  }

  #planFrom(state: CoordinatorState, costs = costsOf(state.serviceTotals)): Plan {
    const setup = withPool(state.setup, state.pool)
    const overridden = stateInForce({ ...state, setup }, this.#overrides)
    return planWithModes(buildPlan(overridden, costs), state.setup, overridden.setup)
  }
}
