import { resolveOptions } from '../../lib/option-table.ts'
import type { LearnerKind } from '../kind.ts'
import type { Decision, Learner, Reason, Sample } from '../learner-interface.ts'
import { isUsableSample } from '../sample.ts'
import { aimOf } from './budget.ts'
import { requestCourse, sessionCourse, type TickDecision } from './decide.ts'
import { NO_DEMAND, observeDemand } from './demand.ts'
import { gainFor } from './gain.ts'
import { addTick, isFull, NO_INTERVAL } from './interval.ts'
import { type Assessment, judge } from './judge.ts'
import { allowedLoad, announced } from './knowledge.ts'
import { learn } from './learn.ts'
import { observe, type Seen } from './observe.ts'
import { SOC_LQR_OPTIONS, type SocLqrOptions } from './options.ts'
import { NO_PIPE, observePipe, withDecision } from './pipe.ts'
import { freshState, isSocLqrState, type SocLqrState } from './state.ts'
import { type Tick, tickOf } from './tick.ts'
import { dropInterval } from './tiers.ts'

/**
 * The default: SOC's curve gives the operating point and the ceiling (Bartolini et al. 2009), LQR the correction each
 * tick (Mathur et al. 2009). It acts on the request rate; the limit on sessions follows from the requests that
 * sessions are known to make.
 */
export class SocLqrLearner implements Learner<SocLqrState> {
  readonly #options: SocLqrOptions
  #state: SocLqrState

  constructor(options: Readonly<Record<string, unknown>> = {}, state?: SocLqrState) {
    this.#options = resolveOptions(SOC_LQR_OPTIONS, options)
    this.#state = state ?? freshState(this.#options.headroom)
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
    const changed = this.#announce(sample)
    if (tick.silent) {
      this.#age(tick)
      return this.#kept(changed ? 'capacity' : 'no-data')
    }
    const seen = observe(this.#state, sample, tick, this.#options)
    const { judged, verdict } = this.#judge(seen, sample, tick)
    const settled = this.#settle(judged, tick)
    const course = this.#decide(settled, sample, tick)
    const { limit, burst, inFlight } = course
    const found = seen.knowledge.capacity.rate === null && judged.knowledge.capacity.rate !== null
    return {
      limit,
      burst,
      inFlightCap: inFlight,
      reason: changed || found ? 'capacity' : reasonOf(seen, verdict),
      ...(seen.foreseen && { requestsPerSession: seen.foreseen.kernel.perSession }),
    }
  }

  /** Announced changes scale what is known, and what was decided last. */
  #announce({ capacity }: Sample): boolean {
    const { knowledge, ratio } = announced(this.#state.knowledge, capacity)
    if (ratio === 1) return false
    const { limit, cap } = this.#state
    this.#state = {
      ...this.#state,
      knowledge,
      limit: limit === null ? null : limit * ratio,
      cap: cap === null ? null : cap * ratio,
    }
    return true
  }

  /** Nothing is evidence of nothing: sessions grow older, all else stays. */
  #age({ seconds, onSessions }: Tick): void {
    if (!onSessions) return
    const { sessions } = this.#state
    const { demand } = observeDemand(sessions.demand, { seconds, sessions: 0, ages: [] })
    this.#state = { ...this.#state, sessions: { ...sessions, demand } }
  }

  /** Ends the interval when there is enough in it, and learns from it. */
  #judge(
    seen: Seen,
    sample: Sample,
    tick: Tick,
  ): { readonly judged: Seen; readonly verdict: Assessment | null } {
    const interval = addTick(this.#state.interval, tick, seen.vanished)
    const { knowledge, pool, backlog } = seen
    if (!isFull(interval, tick, knowledge.capacity.rate !== null)) {
      this.#state = { ...this.#state, interval }
      return { judged: seen, verdict: null }
    }
    this.#state = { ...this.#state, interval: NO_INTERVAL }
    const aim = aimOf(knowledge.budget, this.#options.certainty)
    const { tiers, verdict } = judge(seen.tiers, sample.tiers, interval, pool, {
      aim,
      pilingS: backlog.pilingS,
    })
    const learned = learn(knowledge, verdict, {
      pool,
      options: this.#options,
      onSessions: tick.onSessions,
      tickS: tick.seconds,
      lagS: seen.foreseen?.kernel.meanAgeS ?? 0,
      aim,
      atCap: backlog.atCap,
      isPeakAhead: (sample.knownPeak ?? 0) > (this.#state.limit ?? Number.POSITIVE_INFINITY),
    })
    return { judged: { ...seen, tiers, knowledge: learned }, verdict }
  }

  /** After a change of capacity: has what was admitted before it gone? Only then does judging start again. */
  #settle(seen: Seen, tick: Tick): Seen {
    const { knowledge, pool, backlog } = seen
    if (!knowledge.settling) return seen
    const load = allowedLoad(knowledge, pool.slackS, this.#options.floor)
    if (tick.load > 1.1 * load || backlog.waitS >= pool.slackS / 2) return seen
    this.#state = { ...this.#state, interval: NO_INTERVAL }
    return {
      ...seen,
      tiers: seen.tiers.map(dropInterval),
      knowledge: { ...knowledge, settling: false },
    }
  }

  #decide(seen: Seen, sample: Sample, tick: Tick): TickDecision {
    const { pool, foreseen, tiers, inService, backlog } = seen
    const lagS = foreseen?.kernel.meanAgeS ?? 0
    const times = { lagS, slackS: pool.slackS, tickS: tick.seconds }
    const gain = gainFor(this.#state.gain, times, this.#options)
    const pipe = observePipe(this.#state.pipe ?? NO_PIPE, tick)
    const ground = {
      pipe,
      tick,
      tiers,
      samples: sample.tiers,
      pool,
      gain,
      options: this.#options,
      inService: inService.count,
    }
    const course = foreseen
      ? sessionCourse(seen.knowledge, ground, foreseen.sessions, foreseen.kernel)
      : requestCourse(seen.knowledge, ground)
    this.#state = {
      ...this.#state,
      knowledge: course.knowledge,
      sessions: foreseen?.sessions ?? { demand: NO_DEMAND, bias: 1 },
      tiers,
      inService,
      flow: backlog.flow,
      gain,
      pipe: withDecision(pipe, course.limit, tick.seconds),
      limit: course.limit,
      burst: course.burst,
      cap: course.inFlight,
    }
    return course
  }

  #kept(reason: Reason): Decision {
    const { limit, burst, cap } = this.#state
    return limit === null ? { limit, reason } : { limit, burst, inFlightCap: cap, reason }
  }
}

function reasonOf({ changed, backlog, knowledge }: Seen, verdict: Assessment | null): Reason {
  if (changed) return 'capacity'
  if (backlog.backlogged) return 'backlogged'
  if (knowledge.probe.stage > 0) return 'growing'
  if (verdict !== null && verdict.spent > 1) return 'slow'
  return knowledge.capacity.rate === null ? 'cold' : 'steady'
}

export const socLqr: LearnerKind = {
  text: "SOC's operating point with LQR's correction: the default.",
  options: SOC_LQR_OPTIONS,
  accepts: (_options, state) => isSocLqrState(state),
  create: (options, state) =>
    new SocLqrLearner(options, isSocLqrState(state) ? (state as SocLqrState) : undefined),
}
