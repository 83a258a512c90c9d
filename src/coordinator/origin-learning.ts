import type { CapacityEvent, Learner, Sample } from '../learners/learner-interface.ts'
import { createLearner } from '../learners/registry.ts'
import type { Feedback, PoolServer, RouteSetup, Setup } from '../protocol/feedback.ts'
import { answerTotalsAfter } from './answer-totals.ts'
import { AnswerWindows } from './answer-windows.ts'
import { buildSample, knownSessionRequests } from './build-sample.ts'
import { OriginCapacity } from './capacity/origin-capacity.ts'
import { type ClassCosts, costsOf, serviceTotalsAfter } from './class-cost.ts'
import { ClassLimits, withDecisions } from './class-limits.ts'
import { type ClassSetup, classTargetMs, targetMsOf } from './class-sla.ts'
import { classTimesAfter } from './class-times.ts'
import { withoutExpired } from './command-state.ts'
import { debtAfter } from './guarantee-debt.ts'
import { knownAfter } from './known-arrivals.ts'
import { LoopMeasures } from './loop-measures.ts'
import { measuredAfter, unprotectedDecision } from './measured-capacity.ts'
import { serverLoadAfter } from './origin-load.ts'
import { loadsOf } from './own-load.ts'
import { drainsAfter } from './pool-change.ts'
import { downOf, healthAfter, withLastRequests } from './pool-health.ts'
import { decideQuality } from './quality/quality-control.ts'
import type { ReportAggregator } from './report-aggregator.ts'
import { arrivalsAfterSilence, learnSilence } from './silence.ts'
import type { CoordinatorState } from './state.ts'
import { arrivalsAfter, targetsFor } from './tick-arrivals.ts'

interface LearningTick {
  /** With the pool and the overrides in force. */
  readonly setup: Setup
  readonly reports: ReturnType<ReportAggregator['drain']>
  /** How long there was no report before these. */
  readonly silentMs: number
  readonly nowMs: number
}

interface Learned {
  /** The state after the tick, with the waiting rooms as they were before. */
  readonly next: CoordinatorState
  readonly costs: ClassCosts
  readonly sample: Sample
  /** Servers that have left the pool. */
  readonly drained: readonly PoolServer[]
}

/** Everything about an origin that learns from the reports of a tick: limit, limits of classes, capacity, quality. */
export class OriginLearning {
  readonly capacity = new OriginCapacity()
  readonly loop = new LoopMeasures()
  readonly #answers = new AnswerWindows()
  readonly #countsAlike: boolean
  readonly #classLimits = new ClassLimits()
  #announced: CapacityEvent[] = []
  #learner: Learner | null = null

  constructor(countsAlike: boolean) {
    this.#countsAlike = countsAlike
  }

  /** A report, as its sender has sent it. */
  observe(feedback: Feedback, nowMs: number): void {
    if (!this.#countsAlike) this.#answers.add(feedback, nowMs)
  }

  /** null: no setup is known yet. */
  get learner(): Learner | null {
    return this.#learner
  }

  /** Tells the learner of more or less capacity with the next tick. */
  announce(event: CapacityEvent): void {
    this.#announced.push(event)
  }

  /** What was learned is kept, as far as the new setup's learner can use it. `note`: what it could not use. */
  adopt(
    setup: Setup,
    from: Partial<CoordinatorState>,
  ): Pick<CoordinatorState, 'learner' | 'classLimits'> & { readonly note: string | null } {
    const { learner, note } = createLearner(setup.learner, from.learner)
    this.#learner = learner
    this.capacity.adopt(setup, from.capacity)
    this.#classLimits.adopt(setup, from.classLimits)
    return { note, learner: learner.state, classLimits: this.#classLimits.states }
  }

  /** Starts the learner anew, or from a state that it had before. Returns its state. */
  relearn(setup: Setup, stored: unknown): unknown {
    const { learner } = createLearner(setup.learner, stored)
    this.#learner = learner
    return learner.state
  }

  /** What was learned goes out with a plan of this time. */
  issued(atMs: number, { decision, classLimits }: CoordinatorState, isCalm: boolean): void {
    this.loop.issued(atMs, decision, isCalm, classLimits)
  }

  tick(state: CoordinatorState, { setup, reports, silentMs, nowMs }: LearningTick): Learned {
    const learner = this.#learner
    if (learner === null) throw new Error('A tick needs a setup')
    const { routes, servers, tiers, lengthMs, planIssuedAtMs } = reports
    const serviceTotals = serviceTotalsAfter(state.serviceTotals, setup, routes, lengthMs)
    const answerTotals = answerTotalsAfter(state.answerTotals, setup, routes)
    const windows = this.#answers.take(nowMs)
    const classTimes = classTimesAfter(state.classTimes, setup, routes, windows, lengthMs)
    const costs = costsOf(serviceTotals, answerTotals, classTimes)
    const { health, event } = healthAfter(state.poolHealth, setup.servers ?? [], servers, nowMs)
    if (event !== null) this.announce(event)
    const drains = drainsAfter(
      state.pool ?? [],
      servers,
      state.poolHealth.lastRequests ?? {},
      nowMs,
    )
    const targetOf = (route: RouteSetup): number => targetMsOf(route, state.targets)
    const shown = {
      setup,
      routes,
      lengthMs,
      targetOf: (route: RouteSetup, klass: ClassSetup) =>
        classTargetMs(route, klass, state.targets),
      capacity: this.#announced,
    }
    const loopOf = (name?: string) => this.loop.measure(planIssuedAtMs, lengthMs, nowMs, name)
    this.#classLimits.tick(setup.tickMs, silentMs, (key) => ({
      ...buildSample({ ...shown, isIn: (other) => other === key }),
      ...loopOf(key),
    }))
    const loads = loadsOf(state, costs)
    const isShared = (key: string): boolean => this.#classLimits.states[key] === undefined
    const knownPeak = this.capacity.knownPeak(nowMs, loads)
    const sample = {
      ...buildSample({ ...shown, isIn: isShared, costs, knownPeak }),
      ...loopOf(),
    }
    this.loop.observe(sample, nowMs)
    learnSilence(learner, sample, setup.tickMs, silentMs)
    const measured = measuredAfter(state.measured, { sample, events: this.#announced, nowMs })
    this.#announced = []
    const isWatching = setup.routes.every(({ mode }) => mode !== 'enforce')
    // An announced change must reach the learner in any case.
    const learned =
      isWatching && measured.isDrowning && sample.capacity.length === 0
        ? unprotectedDecision(measured, sample)
        : learner.update(sample)
    const before = arrivalsAfterSilence(state.arrivals, silentMs)
    const arrivals = arrivalsAfter(setup, routes, lengthMs, before)
    const pool = setup.servers ?? []
    const poolServers = pool.length > 0 ? pool.length - downOf(health, pool).length : null
    this.capacity.tick({
      ...{ nowMs, setup, tiers, decision: learned, loads, arrivals, poolServers },
      sample:
        Object.keys(this.#classLimits.states).length > 0
          ? buildSample({ ...shown, costs })
          : sample,
    })
    const {
      quality,
      event: lighter,
      decision,
    } = decideQuality(state.quality, {
      ...{ setup, routes, targetOf, sample },
      decision: this.capacity.held(learned, loads),
    })
    if (lighter !== null) this.announce(lighter)
    const next: CoordinatorState = {
      ...state,
      learner: learner.state,
      decision,
      seq: state.seq + 1,
      issuedAtMs: nowMs,
      arrivals,
      known: knownAfter(state.known, arrivals, lengthMs / 1000, silentMs / 1000),
      targets: targetsFor(setup, arrivals, state.targets),
      sessionRequests: (knownSessionRequests(setup, routes, costs) * 1000) / lengthMs,
      guaranteeDebt: debtAfter(state.guaranteeDebt, setup, routes, nowMs - state.issuedAtMs),
      serviceTotals,
      answerTotals,
      classTimes,
      serverLoad: serverLoadAfter(state.serverLoad, routes),
      pool: drains.pool ?? state.pool,
      poolHealth: withLastRequests(health, drains.lastRequests),
      commanded: withoutExpired(state.commanded, nowMs),
      quality,
      capacity: this.capacity.state,
      classLimits: withDecisions(this.#classLimits.states, (own, key) =>
        this.capacity.heldClass(own, arrivals[key]?.rate ?? 0, loads),
      ),
      measured,
    }
    return { next, costs, sample, drained: drains.drained }
  }
}
