import type { CapacityEvent, Learner, Sample } from '../learners/learner-interface.ts'
import { createLearner } from '../learners/registry.ts'
import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import type { RouteSetup, Setup } from '../protocol/feedback.ts'
import { isFeedback } from '../protocol/feedback-schema.ts'
import type { Plan, RoutePlan } from '../protocol/plan.ts'
import { observeArrivals } from './arrival-rate.ts'
import { buildPlan, targetMsOf } from './build-plan.ts'
import { buildSample, knownSessionRequests } from './build-sample.ts'
import { costsOf, serviceTotalsAfter } from './class-cost.ts'
import { classKey } from './class-key.ts'
import { debtAfter } from './guarantee-debt.ts'
import { LastMinute, type MinuteFigures } from './last-minute.ts'
import { serverLoadAfter } from './origin-load.ts'
import { healthAfter } from './pool-health.ts'
import { FORGET_AFTER_MS, ReportAggregator } from './report-aggregator.ts'
import { SetupTime } from './setup-time.ts'
import { targetIndex } from './sla-target.ts'
import { type CoordinatorState, isStoredState, stateWith } from './state.ts'

/** Reports come a little early or late, so a tick is due when this part of its time is covered. */
const DUE_AT = 0.95

export interface RouteStatus {
  readonly name: string
  readonly origin: string
  readonly granularity: RouteSetup['granularity']
  readonly mode: RouteSetup['mode']
  readonly learner: { readonly name: string; readonly reason: string; readonly state: unknown }
  readonly plan: RoutePlan
  /** The guarantees at the origin are more than its limit. */
  readonly overcommitted: boolean
  /** Servers of the origin's pool that do not answer; absent: none. */
  readonly down?: readonly string[]
  readonly lastMinute: MinuteFigures & { readonly classes: Readonly<Record<string, MinuteFigures>> }
  readonly reports: { readonly taken: number; readonly repeated: number; readonly refused: number }
  readonly senders: number
}

/**
 * The coordinator of one origin, without storage, alarm and network: adds feedback up, asks the learner for a
 * limit once a tick, allocates the limit to the classes and makes the plan.
 */
export class CoordinatorCore {
  readonly #aggregator = new ReportAggregator()
  readonly #setupTime = new SetupTime()
  readonly #lastMinute = new LastMinute()
  readonly #reports = { taken: 0, repeated: 0, refused: 0 }
  #announced: CapacityEvent[] = []
  #lastReportAtMs = 0
  #learner: Learner | null = null
  #state: CoordinatorState | null = null
  #plan: Plan | null = null
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

  get tickMs(): number {
    return this.#state?.setup.tickMs ?? 1000
  }

  /** No report has come for so long that no tick is needed. */
  isIdle(nowMs: number): boolean {
    return nowMs - this.#lastReportAtMs > FORGET_AFTER_MS
  }

  /**
   * Takes a report, ticks if one is due, and answers with the newest plan and the sender's share. A tick is due
   * when the reports cover its time, so that reports drive the ticks and no clock is needed.
   */
  handle(feedback: unknown, nowMs: number): ReportAnswer {
    if (!isFeedback(feedback)) {
      this.#reports.refused++
      return { plan: this.#plan, share: 0 }
    }
    this.#lastReportAtMs = nowMs
    if (feedback.setup) this.#considerSetup(this.#setupTime.bounded(feedback.setup, nowMs))
    if (this.#aggregator.add(feedback, nowMs)) this.#reports.taken++
    else this.#reports.repeated++
    const share = this.#aggregator.shareOf(feedback.sender, nowMs)
    if (this.#aggregator.lengthMs(nowMs) >= this.tickMs * DUE_AT) this.tick(nowMs)
    return { plan: this.#plan, share }
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
    const { setup } = state
    const { routes, servers, lengthMs } = this.#aggregator.drain(nowMs)
    const serviceTotals = serviceTotalsAfter(state.serviceTotals, setup, routes, lengthMs)
    const costs = costsOf(serviceTotals)
    const { health, event } = healthAfter(state.poolHealth, setup.servers ?? [], servers)
    if (event !== null) this.announce(event)
    const sample = buildSample({
      setup,
      routes,
      lengthMs,
      targetOf: (route) => targetMsOf(route, state.targets),
      capacity: this.#announced,
      costs,
    })
    this.#announced = []
    this.#lastMinute.add(routes, lengthMs)
    const decision = this.#learner.update(sample)
    const arrivals = arrivalsAfter(sample, state.arrivals)
    this.#state = {
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
      poolHealth: health,
    }
    this.#plan = buildPlan(this.#state, costs)
    return true
  }

  status(): readonly RouteStatus[] {
    const state = this.#state
    const plan = this.#plan
    if (!state || !plan) return []
    return state.setup.routes.map((route) => ({
      name: route.name,
      origin: state.setup.origin,
      granularity: route.granularity,
      mode: route.mode,
      learner: {
        name: state.setup.learner.name,
        reason: state.decision.reason,
        state: state.learner,
      },
      plan: plan.routes[route.name]!,
      overcommitted: plan.overcommitted === true,
      ...(plan.down ? { down: plan.down } : {}),
      lastMinute: {
        ...this.#lastMinute.figures(route.name, null),
        classes: Object.fromEntries(
          route.classes.map(({ name }) => [name, this.#lastMinute.figures(route.name, name)]),
        ),
      },
      reports: { ...this.#reports },
      senders: this.#aggregator.senders,
    }))
  }

  /** Of two setups the later one is used. */
  #considerSetup(setup: Setup): void {
    const current = this.#state?.setup
    if (current && (setup.id === current.id || setup.sinceMs <= current.sinceMs)) return
    this.#adopt(setup, this.#state ?? {})
  }

  /** What was learned is kept, as far as the new setup's learner can use it. */
  #adopt(setup: Setup, from: Partial<CoordinatorState>): void {
    const { learner, note } = createLearner(setup.learner, from.learner)
    this.#learner = learner
    this.warning = note
    this.#state = stateWith(setup, learner.state, from)
    this.#plan = buildPlan(this.#state, costsOf(this.#state.serviceTotals))
  }
}

function arrivalsAfter(
  sample: Sample,
  previous: CoordinatorState['arrivals'],
): CoordinatorState['arrivals'] {
  const seconds = sample.lengthMs / 1000
  return Object.fromEntries(
    sample.classes.map(({ key, offered }) => [
      key,
      observeArrivals(previous[key], offered * seconds, seconds),
    ]),
  )
}

function targetsFor(
  setup: Setup,
  arrivals: CoordinatorState['arrivals'],
  current: CoordinatorState['targets'],
): CoordinatorState['targets'] {
  return Object.fromEntries(
    setup.routes.map((route) => {
      let rate = 0
      for (const { name } of route.classes) rate += arrivals[classKey(route.name, name)]?.rate ?? 0
      return [route.name, targetIndex(route.sla, rate, current[route.name] ?? 0)]
    }),
  )
}
