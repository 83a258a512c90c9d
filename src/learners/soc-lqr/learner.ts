import { resolveOptions } from '../../lib/option-table.ts'
import type { LearnerKind } from '../kind.ts'
import type { Decision, Learner, Reason, Sample } from '../learner-interface.ts'
import { capacityRatio, isUsableSample } from '../sample.ts'
import { observeCapacity, scaleCapacity } from './capacity.ts'
import { observeDemand } from './demand.ts'
import { isBeyondChance, observeFlow } from './flow.ts'
import { observePipe, withDecision } from './forecast.ts'
import { allowedLoad, type JudgeGround, judge, learn } from './judge.ts'
import { type Foreseen, NO_SESSIONS, observeSessions } from './kernel.ts'
import { type Assessment, scaledSpare, startingSpare } from './operating-point.ts'
import { SOC_LQR_OPTIONS, type SocLqrOptions } from './options.ts'
import { answered, provenLoad, type Reach, restartedReach } from './reach.ts'
import { FRESH_STATE, isSocLqrState, type SocLqrState } from './state.ts'
import { type Course, requestCourse, sessionCourse } from './steer.ts'
import { addTick, isFull, LEAVING, NO_INTERVAL, type Tick, tickOf } from './tick.ts'
import { addToTiers, restarted, type Times, timesOf } from './tiers.ts'

/**
 * The default: SOC's curve gives the operating point's ceiling (Bartolini et al. 2009), LQR the correction each tick (Mathur et
 * al. 2009). It acts on the request rate; the limit on sessions follows from the requests that sessions are known to make.
 */
export class SocLqrLearner implements Learner<SocLqrState> {
  readonly #options: SocLqrOptions
  #state: SocLqrState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: SocLqrState = FRESH_STATE) {
    this.#options = resolveOptions(SOC_LQR_OPTIONS, options)
    this.#state = state
  }

  get state(): SocLqrState {
    return this.#state
  }

  update(sample: Sample): Decision {
    if (!isUsableSample(sample)) return this.#kept('invalid')
    const before = this.#state
    const decision = this.#learn(sample)
    if (isSocLqrState(this.#state)) return decision
    // Figures that are sound one by one can be absurd together: then everything stays as it was.
    this.#state = before
    return this.#kept('invalid')
  }

  #learn(sample: Sample): Decision {
    const tick = tickOf(sample)
    const ratio = capacityRatio(sample.capacity)
    if (ratio !== 1) this.#announce(ratio)
    if (tick.silent) {
      this.#age(tick)
      return this.#kept(ratio === 1 ? 'no-data' : 'capacity')
    }
    const wasKnown = this.#state.capacity.rate !== null
    const { times, foreseen, waitS, atCap, changed } = this.#observe(sample, tick)
    const ground = {
      tick,
      times,
      options: this.#options,
      lagS: foreseen?.kernel.meanAgeS ?? 0,
      atCap,
      isPeakAhead: (sample.knownPeak ?? 0) > (this.#state.limit ?? Number.POSITIVE_INFINITY),
    }
    const verdict = this.#judge(sample, ground)
    this.#settle(tick, ground, waitS)
    const course = this.#decide(tick, times, foreseen)
    const found = !wasKnown && this.#state.capacity.rate !== null
    return {
      limit: course.limit,
      burst: course.burst,
      inFlightCap: course.cap,
      reason: ratio !== 1 || changed || found ? 'capacity' : this.#reason(verdict),
      ...(foreseen && { requestsPerSession: foreseen.kernel.perSession }),
    }
  }

  /** Announced changes scale what is known, and what was decided last (Bartolini et al. 2009, §5.3). */
  #announce(ratio: number): void {
    const { capacity, reach, point, limit, cap } = this.#state
    this.#state = {
      ...this.#state,
      capacity: scaleCapacity(capacity, ratio),
      point: { ...point, spare: scaledSpare(point.spare, ratio) },
      reach: { ...reach, load: reach.load * ratio, carried: reach.carried * ratio },
      settling: 1,
      limit: limit === null ? null : limit * ratio,
      cap: cap === null ? null : cap * ratio,
    }
  }

  /** Nothing is evidence of nothing: sessions grow older, all else stays. */
  #age({ seconds, onSessions }: Tick): void {
    if (!onSessions) return
    const { sessions } = this.#state
    const { demand } = observeDemand(sessions.demand, { seconds, sessions: 0, ages: [] })
    this.#state = { ...this.#state, sessions: { ...sessions, demand } }
  }

  /** What a tick shows at once. */
  #observe(sample: Sample, tick: Tick) {
    const before = this.#state
    const { headroom, sessionRequests, sessionAgeMs } = this.#options
    const tiers = addToTiers(before.tiers, sample.tiers)
    const times = timesOf(tiers, sample.tiers)
    const hasCap = !tick.onSessions && before.cap !== null
    const known = before.capacity.rate
    const { flow, waitS, atCap, saturated } = observeFlow(before.flow, tick, times, known, hasCap)
    const { served, seconds, abandoned } = tick
    const shown = {
      ...{ served, seconds, abandoned, saturated, variation: times.variation },
      isClear: before.flow.orphans === 0 && abandoned <= LEAVING * served,
      proven: provenLoad(before.reach, times),
    }
    const { capacity, changed } = observeCapacity(before.capacity, shown)
    const prior = { perSession: sessionRequests, meanAgeS: sessionAgeMs / 1000 }
    const waiting =
      waitS >= times.slackS / 2 ? ((flow.inside - flow.orphans) * waitS) / (waitS + times.meanS) : 0
    const foreseen = tick.onSessions ? observeSessions(before.sessions, tick, waiting, prior) : null
    const rate = capacity.rate ?? 0
    const spare =
      known === null
        ? startingSpare(headroom, rate, times)
        : scaledSpare(before.point.spare, rate / known)
    this.#state = {
      ...before,
      tiers,
      interval: addTick(before.interval, tick),
      flow,
      capacity,
      point: changed ? { ...before.point, spare } : before.point,
      reach: this.#reachAfter(changed && !atCap, flow.inside, waitS, times),
      settling: changed ? 1 : before.settling,
      sessions: foreseen?.sessions ?? NO_SESSIONS,
      pipe: observePipe(before.pipe, tick),
    }
    return { times, foreseen, waitS, atCap, changed }
  }

  /** A try ends with the first queue that it brings, long before its interval does. */
  #reachAfter(hasChanged: boolean, inside: number, waitS: number, times: Times): Reach {
    const { reach, capacity } = this.#state
    // A capacity that has changed may change back: earlier tries say nothing about it.
    if (hasChanged) return restartedReach(reach)
    const busy = (capacity.rate ?? 0) * times.meanS
    const isQueued = waitS > times.slackS / 2 && isBeyondChance(inside - busy, busy)
    return reach.stage > 0 && isQueued ? answered(reach) : reach
  }

  /** Ends the interval when there is enough in it, and learns from it. */
  #judge(sample: Sample, ground: JudgeGround): Assessment | null {
    const { interval, capacity } = this.#state
    if (!isFull(interval, ground.tick, capacity.rate !== null)) return null
    const { verdict, tiers } = judge(this.#state, sample.tiers)
    const learned = learn(this.#state, verdict, { ...ground, closed: tiers })
    this.#state = { ...learned, interval: NO_INTERVAL, tiers: learned.tiers.map(restarted) }
    return verdict
  }

  /** After a change of capacity: has what was admitted before it gone? Only then does judging start again. */
  #settle(tick: Tick, { times, options, lagS }: JudgeGround, waitS: number): void {
    const { settling, pipe, tiers } = this.#state
    if (settling === 0) return
    const { meanS, slackS } = times
    const left = settling - tick.seconds / (meanS + slackS + lagS + pipe.deadS + 2 * tick.seconds)
    const isCalm = tick.load <= 1.1 * allowedLoad(this.#state, times, options)
    this.#state =
      left <= 0 || (isCalm && waitS < slackS / 2)
        ? { ...this.#state, settling: 0, tiers: tiers.map(restarted), interval: NO_INTERVAL }
        : { ...this.#state, settling: left }
  }

  #decide(tick: Tick, times: Times, foreseen: Foreseen | null): Course {
    const { capacity, flow, pipe, point } = this.#state
    const { seconds } = tick
    const ground = {
      tick,
      times,
      load: allowedLoad(this.#state, times, this.#options),
      capacity: capacity.rate,
      inside: flow.inside,
      orphans: flow.orphans,
      pipe,
    }
    const course = foreseen
      ? sessionCourse(ground, foreseen, this.#options)
      : requestCourse(ground, point.trim, this.#options)
    const { limit, burst, cap } = course
    const decided = { limit, burst, cap, pipe: withDecision(pipe, limit, seconds) }
    this.#state = { ...this.#state, ...decided }
    return course
  }

  #reason(verdict: Assessment | null): Reason {
    const { flow, reach, capacity } = this.#state
    if (flow.backlogged > 0) return 'backlogged'
    if (reach.stage > 0) return 'growing'
    if (verdict !== null && verdict.spent > 1) return 'slow'
    return capacity.rate === null ? 'cold' : 'steady'
  }

  #kept(reason: Reason): Decision {
    const { limit, burst, cap } = this.#state
    return limit === null ? { limit, reason } : { limit, burst, inFlightCap: cap, reason }
  }
}

export const socLqr: LearnerKind = {
  text: "SOC's operating point with LQR's correction: the default.",
  options: SOC_LQR_OPTIONS,
  accepts: (_options, state) => isSocLqrState(state),
  create: (options, state) =>
    new SocLqrLearner(options, isSocLqrState(state) ? (state as SocLqrState) : undefined),
}
