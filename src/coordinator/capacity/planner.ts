import type { CapacityRules } from '../../config/capacity-rules.ts'
import type { Sample } from '../../learners/learner-interface.ts'
import { rateOf } from '../../learners/sample.ts'
import type { TiersFeedback } from '../../protocol/merge-reports.ts'
import { strictestAt, targetMsAt } from '../sla-target.ts'
import type { CapacityAnswer, CapacityReason } from './answer.ts'
import { arbitrate, type Claim } from './arbitrate.ts'
import { classesAt, isOverGrant } from './group-claim.ts'
import {
  arrivalsNow,
  arrivalVariability,
  loadAfter,
  requestsPerSession as measuredRequests,
  sessionTimes,
} from './load-measure.ts'
import { judgedResponses } from './mean-target.ts'
import { nextServers, serversNow, sizedAnswer } from './next-servers.ts'
import type { PlannedSla } from './origin-slas.ts'
import type { CapacityState, LastTick } from './planner-state.ts'
import { type HourRecord, Predictor } from './predictor.ts'
import { rateToPlan, react } from './reactor.ts'
import { sizeTiers } from './size-tiers.ts'
import { tiersAfter } from './tier-measures.ts'
import { type RatedTier, ratedTiers } from './tier-rates.ts'

/** What the coordinator knows in a tick. */
export interface CapacityTick extends Omit<LastTick, 'granularity' | 'admittedRate' | 'sla'> {
  readonly nowMs: number
  readonly sample: Sample
  readonly tiers: TiersFeedback
  /** By the rate of the origin. The servers must keep all of them. */
  readonly slas: readonly PlannedSla[]
}

const MINUTE_MS = 60_000
/** Of a session, as long as nothing is known. */
export const USUAL_REQUESTS = 10
const LEAST_ARRIVALS = 10
/** A prediction that is higher than the last one by this factor is used at once. */
const NEWS = 1.01

/** Plans the servers of one origin: model, predictor, reactor and arbitration. Pure; its state is a plain JSON value. */
export class CapacityPlanner {
  readonly #origin: string
  readonly #rules: CapacityRules
  readonly #predictor: Predictor
  #state: CapacityState
  /** Empty: there was no tick since the start. */
  #slas: readonly PlannedSla[] = []
  #records: HourRecord[] = []
  #nowMs = 0

  constructor(
    origin: string,
    rules: CapacityRules,
    state: CapacityState,
    predictor: Predictor = new Predictor(rules.predict),
  ) {
    this.#origin = origin
    this.#rules = rules
    this.#state = state
    this.#predictor = predictor
  }

  /** Replaced at each tick, never written into. */
  get state(): CapacityState {
    return this.#state
  }

  get answer(): CapacityAnswer | null {
    return this.#state.answer
  }

  /** Records of hours that changed since the last call, to be stored. */
  takeRecords(): readonly HourRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** The peak that is predicted for the next minutes; null: no history. In the unit of the limit. */
  knownPeak(nowMs: number): number | null {
    return this.#predictor.highestPeak(nowMs, nowMs + this.#horizonMs)
  }

  restoreHistory(records: Iterable<HourRecord>): void {
    for (const record of records) this.#predictor.restore(record)
  }

  /** Forgets the oldest days. Returns the first hour that is kept. */
  forget(nowMs: number): number {
    return this.#predictor.forget(nowMs)
  }

  /** The autoscaler, or the pool, says how many servers there are. */
  setCurrent(servers: Readonly<Record<string, number>>): void {
    this.#state = { ...this.#state, current: { ...this.#state.current, ...servers } }
  }

  /** Measures, and plans if it is time to. `others` are the claims of the other origins of the group. */
  tick(tick: CapacityTick, others: readonly Claim[] = []): void {
    const { nowMs, sample, limit, requestsPerSession, slas, classes } = tick
    const { granularity } = sample
    const admittedRate = rateOf(sample.admitted, granularity)
    this.#slas = slas
    const sla = strictestAt(slas, this.#state.plannedRate ?? 0)
    const ownKeys = slas.flatMap(({ ofClass }) => (ofClass === undefined ? [] : [ofClass]))
    this.#state = {
      ...this.#state,
      tiers: tiersAfter(this.#state.tiers, tick.tiers, nowMs),
      load: loadAfter(this.#state.load, sample, nowMs, this.#windowMs, ownKeys),
      last: { granularity, admittedRate, limit, requestsPerSession, sla, classes },
    }
    this.#observeMinute(sample, nowMs)
    this.plan(nowMs, others)
  }

  /** Plans without new reports: time without reports is time without arrivals. */
  plan(nowMs: number, others: readonly Claim[] = []): void {
    if (this.#state.last === null) return
    this.#nowMs = nowMs
    const { load, plannedRate, comparedAtMs, changedAtMs, plannedHour, plannedPeak } = this.#state
    if (this.#arrivals < LEAST_ARRIVALS && plannedRate === null) return
    const { rate, refused } = arrivalsNow(load, nowMs, this.#windowMs)
    const predicted = this.knownPeak(nowMs)
    const hour = this.#predictor.hourOf(nowMs)
    const isNews =
      predicted !== null && (hour !== plannedHour || predicted > (plannedPeak ?? 0) * NEWS)
    if (isNews) {
      this.#state = {
        ...this.#state,
        comparedAtMs: nowMs,
        plannedHour: hour,
        plannedPeak: predicted,
      }
      this.#decide(nowMs, Math.max(predicted, rate), 'predicted', others)
      return
    }
    const observed = { nowMs, rate, plannedRate, refused, comparedAtMs, changedAtMs }
    const reaction = react(observed, this.#rules.react)
    if (reaction === 'none') {
      if (this.#isOverGrant(others)) this.#decide(nowMs, plannedRate!, 'shared', others)
      return
    }
    this.#state = { ...this.#state, comparedAtMs: nowMs }
    if (reaction === 'wait') return
    if (reaction === 'steady') {
      this.#decide(nowMs, plannedRate!, reaction, others)
      return
    }
    const wanted = rateToPlan(reaction, rate, this.#rules.react)
    // The prediction for the time when new servers serve is kept, except on a day that is far below its prediction.
    const usual = this.#predictor.peak(nowMs)
    const isLowDay = usual === null || rate < this.#rules.react.below * usual
    if (reaction === 'low' && isLowDay) this.#decide(nowMs, wanted, 'low', others)
    else {
      const reason = reaction === 'low' ? 'steady' : reaction
      this.#decide(nowMs, Math.max(wanted, predicted ?? 0), reason, others)
    }
  }

  /** What this origin would use, for the arbitration in its group; null: nothing is known yet. */
  claim(): Claim | null {
    const { plannedRate } = this.#state
    if (this.#state.last === null || plannedRate === null) return null
    return this.#claim(plannedRate, this.#rated(plannedRate))
  }

  /** Do other origins of the group earn more with servers that this one has? */
  #isOverGrant(others: readonly Claim[]): boolean {
    const { group } = this.#rules
    const { answer, plannedRate } = this.#state
    if (group === null || answer === null || plannedRate === null) return false
    return isOverGrant(group, answer, this.#claim(plannedRate, this.#rated(plannedRate)), others)
  }

  #decide(nowMs: number, planned: number, reason: CapacityReason, others: readonly Claim[]): void {
    const { load, answer: before } = this.#state
    const requests = this.#requestsPerSession
    const rated = this.#rated(planned)
    const sizing = sizeTiers(planned, requests, rated)
    // Where a tier cannot grow, the others need no more servers than it can use.
    const useful = Math.min(planned, sizing.carries)
    const { group, react } = this.#rules
    const claims = [this.#claim(planned, rated), ...others]
    const grant = group === null ? null : arbitrate(group.servers, claims)[0]!
    const fitting = sizeTiers(useful, requests, rated)
    // A steady load takes servers away only if those that stay have room.
    const roomy = sizeTiers(useful * react.above, requests, rated)
    const isShort = grant !== null && (grant.isShort || reason === 'shared')
    const desired = rated.map((tier, i) => {
      const isLess = reason === 'steady' && fitting.tiers[i]!.servers < tier.current
      const kept = Math.min(tier.current, roomy.tiers[i]!.servers)
      const wanted = isLess ? kept : fitting.tiers[i]!.servers
      const next = { wanted, reason, planned, react, requestsPerSession: requests }
      const most = isShort ? grant.servers[tier.name]! : Number.POSITIVE_INFINITY
      return Math.max(tier.min, Math.min(most, nextServers(tier, next)))
    })
    const isChanged = rated.some(({ name }, i) => before?.tiers[name]?.desired !== desired[i])
    const isSession = this.#last.granularity === 'session'
    const times = isSession ? sessionTimes(load, requests) : null
    const { rate, refused } = arrivalsNow(load, nowMs, this.#windowMs)
    const answer: CapacityAnswer = {
      origin: this.#origin,
      sequence: (before?.sequence ?? 0) + Number(isChanged),
      decidedAtMs: isChanged ? nowMs : before!.decidedAtMs,
      validUntilMs: nowMs + 1000 * Math.max(60, 2 * react.everyS, this.#rules.startupS),
      reason: isChanged || reason === 'refused' || !before ? reason : before.reason,
      horizonS: this.#horizonMs / 1000,
      unit: isSession ? 'session' : 'request',
      observedRate: rate,
      predictedRate: this.knownPeak(nowMs),
      plannedRate: planned,
      refusedPart: refused,
      targetMs: this.#targetMs(planned),
      requestsPerSession: isSession ? requests : null,
      thinkS: times?.thinkS ?? null,
      sessionS: times?.lengthS ?? null,
      arrivalVariability: arrivalVariability(load),
      isShort: grant?.isShort ?? false,
      ...sizedAnswer(rated, sizing, desired, requests),
    }
    this.#state = {
      ...this.#state,
      plannedRate: planned,
      changedAtMs: isChanged ? nowMs : this.#state.changedAtMs,
      answer,
    }
  }

  #rated(planned: number): readonly RatedTier[] {
    const { admittedRate, limit } = this.#last
    return ratedTiers({
      rules: this.#rules,
      tiers: this.#state.tiers,
      load: this.#state.load,
      current: serversNow(this.#state, this.#nowMs, this.#rules.startupS),
      requestsPerSession: this.#requestsPerSession,
      judged: judgedResponses(this.#slasInForce, planned, this.#state.load),
      limit,
      servedRate: admittedRate,
    })
  }

  #claim(planned: number, tiers: readonly RatedTier[]): Claim {
    const [name, requestsPerSession] = [this.#origin, this.#requestsPerSession]
    return { name, requestsPerSession, tiers, classes: classesAt(planned, this.#last.classes) }
  }

  /** The row of the SLA's table for the planned rate (Urgaonkar and Shenoy 2005, §4.1). */
  #targetMs(planned: number): number {
    return targetMsAt(strictestAt(this.#slasInForce, planned), planned)
  }

  get #slasInForce(): readonly PlannedSla[] {
    return this.#slas.length > 0 ? this.#slas : [this.#last.sla]
  }

  get #last(): LastTick {
    return this.#state.last!
  }

  get #requestsPerSession(): number {
    const { granularity, requestsPerSession } = this.#last
    if (granularity === 'request') return 1
    return requestsPerSession ?? measuredRequests(this.#state.load) ?? USUAL_REQUESTS
  }

  get #arrivals(): number {
    return this.#state.load.intervals.reduce((sum, { offered }) => sum + offered, 0)
  }

  /** "The past few minutes" (§5.2): as long as the period, but not so long that a surge is averaged away. */
  get #windowMs(): number {
    return 1000 * Math.min(120, Math.max(10, this.#rules.react.everyS))
  }

  /** Servers that are asked for now serve after `startupS`, and the next comparison comes after `everyS`. */
  get #horizonMs(): number {
    const { startupS, react } = this.#rules
    return 1000 * (startupS + react.everyS)
  }

  #observeMinute(sample: Sample, nowMs: number): void {
    const { minute } = this.#state
    const offered = (rateOf(sample.offered, sample.granularity) * sample.lengthMs) / 1000
    const isOver = minute !== null && nowMs - minute.fromMs >= MINUTE_MS
    if (isOver) {
      const rate = (minute.offered * 1000) / (nowMs - minute.fromMs)
      this.#records.push(this.#predictor.observe(rate, minute.fromMs))
    }
    this.#state = {
      ...this.#state,
      minute:
        isOver || minute === null
          ? { fromMs: nowMs, offered }
          : { ...minute, offered: minute.offered + offered },
    }
  }
}
