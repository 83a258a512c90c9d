import type { CapacityEvent, Decision, Learner, Sample } from '../learners/learner.ts'
import { createLearner } from '../learners/registry.ts'
import type { ReportAnswer } from '../protocol/coordinator-port.ts'
import type { RouteSetup, Setup } from '../protocol/feedback.ts'
import { isFeedback } from '../protocol/feedback-schema.ts'
import type { Plan, RoutePlan } from '../protocol/plan.ts'
import { observeArrivals } from './arrival-rate.ts'
import { buildPlan, type CoordinatorState, targetMsOf } from './build-plan.ts'
import { buildSample, classKey, knownSessionRequests } from './build-sample.ts'
import { costsOf, NO_SERVICE_TOTALS, serviceAfter } from './class-cost.ts'
import { debtAfter } from './guarantee-books.ts'
import { LastMinute, type MinuteFigures } from './last-minute.ts'
import { NO_SERVER_LOAD, serversAfter } from './origin-load.ts'
import { ALL_WELL, healthAfter } from './pool-health.ts'
import { FORGET_AFTER_MS, ReportAggregator } from './report-aggregator.ts'
import { targetIndex } from './sla-target.ts'
import { isCoordinatorState } from './state.ts'

/** Reports come a little early or late: this part of a tick's time is a whole tick. */
const DUE_AT = 0.95

const NOTHING_LEARNED: Decision = { limit: null, reason: 'cold' }

export interface RouteStatus {
  readonly name: string
  readonly origin: string
  readonly granularity: RouteSetup['granularity']
  readonly mode: RouteSetup['mode']
  readonly learner: { readonly name: string; readonly reason: string; readonly state: unknown }
  readonly plan: RoutePlan
  /** The guarantees at the origin are more than its limit. */
  readonly overcommitted: boolean
  /** Servers of the origin's pool that answer nobody; absent: none. */
  readonly down?: readonly string[]
  readonly lastMinute: MinuteFigures & { readonly classes: Readonly<Record<string, MinuteFigures>> }
  readonly reports: { readonly taken: number; readonly repeated: number; readonly refused: number }
  readonly senders: number
}

/** One origin's coordinator without its shell: merges feedback, asks the learner, allocates, plans. */
export class CoordinatorCore {
  readonly #aggregator = new ReportAggregator()
  readonly #minute = new LastMinute()
  readonly #reports = { taken: 0, repeated: 0, refused: 0 }
  #capacity: CapacityEvent[] = []
  #heardAtMs = 0
  #learner: Learner | null = null
  #state: CoordinatorState | null = null
  #plan: Plan | null = null
  /** What the shell should log: how a stored state was taken. */
  note: string | null = null

  /** A state that is unknown or damaged is left aside. */
  constructor(stored?: unknown) {
    if (isCoordinatorState(stored)) this.#adopt(stored.setup, stored)
    else if (stored !== undefined) this.note = 'The stored state is no state of ours: left aside.'
  }

  get state(): CoordinatorState | null {
    return this.#state
  }

  get plan(): Plan | null {
    return this.#plan
  }

  get tickMs(): number {
    return this.#state?.setup.tickMs ?? 1000
  }

  /** Has it been silent for so long that ticks make no sense? */
  isIdle(nowMs: number): boolean {
    return nowMs - this.#heardAtMs > FORGET_AFTER_MS
  }

  report(feedback: unknown, nowMs: number): ReportAnswer {
    if (!isFeedback(feedback)) {
      this.#reports.refused++
      return { plan: this.#plan, share: 0 }
    }
    this.#heardAtMs = nowMs
    if (feedback.setup) this.#consider(feedback.setup)
    if (this.#aggregator.add(feedback, nowMs)) this.#reports.taken++
    else this.#reports.repeated++
    return { plan: this.#plan, share: this.#aggregator.shareOf(feedback.sender, nowMs) }
  }

  announce(event: CapacityEvent): void {
    this.#capacity.push(event)
  }

  /** A tick needs no clock of its own: it is due when every sender that is expected has reported. */
  tickIfDue(nowMs: number): boolean {
    if (this.#aggregator.lengthMs(nowMs) < this.tickMs * DUE_AT) return false
    return this.tick(nowMs)
  }

  /** Learns from what was reported since the last tick, and plans. False: too little was reported. */
  tick(nowMs: number): boolean {
    const state = this.#state
    // Half a tick of coverage or less is no evidence of anything: it waits for the next tick.
    if (!state || !this.#learner || this.#aggregator.lengthMs(nowMs) < this.tickMs / 2) return false
    const { setup } = state
    const { routes, servers, lengthMs } = this.#aggregator.drain(nowMs)
    const targetOf = (route: RouteSetup): number => targetMsOf(route, state.targets)
    const service = serviceAfter(state.service, setup, routes, lengthMs)
    const costs = costsOf(service)
    const { health, event } = healthAfter(state.pool, setup.servers ?? [], servers)
    if (event !== null) this.announce(event)
    const sample = buildSample({
      setup,
      routes,
      lengthMs,
      targetOf,
      capacity: this.#capacity,
      costs,
    })
    this.#capacity = []
    this.#minute.add(routes, lengthMs)
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
      service,
      servers: serversAfter(state.servers, routes),
      owed: debtAfter(state.owed, setup, routes, nowMs - state.issuedAtMs),
      pool: health,
    }
    this.#plan = buildPlan(this.#state)
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
        ...this.#minute.figures(route.name, null),
        classes: Object.fromEntries(
          route.classes.map(({ name }) => [name, this.#minute.figures(route.name, name)]),
        ),
      },
      reports: { ...this.#reports },
      senders: this.#aggregator.senders,
    }))
  }

  /** Of two setups the later one holds; what was learned is kept as far as the learner can use it. */
  #consider(setup: Setup): void {
    const current = this.#state?.setup
    if (current && (setup.id === current.id || setup.sinceMs <= current.sinceMs)) return
    this.#adopt(setup, this.#state)
  }

  #adopt(setup: Setup, from: CoordinatorState | null): void {
    const { learner, note } = createLearner(setup.learner, from?.learner)
    this.#learner = learner
    this.note = note
    this.#state = {
      version: 1,
      setup,
      learner: learner.state,
      decision: from?.decision ?? NOTHING_LEARNED,
      seq: from?.seq ?? 0,
      issuedAtMs: from?.issuedAtMs ?? setup.sinceMs,
      arrivals: from?.arrivals ?? {},
      targets: from?.targets ?? {},
      sessionRequests: from?.sessionRequests ?? 0,
      owed: from?.owed ?? {},
      service: from?.service ?? NO_SERVICE_TOTALS,
      servers: from?.servers ?? NO_SERVER_LOAD,
      pool: from?.pool ?? ALL_WELL,
    }
    this.#plan = buildPlan(this.#state)
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
