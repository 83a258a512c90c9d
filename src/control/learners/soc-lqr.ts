import { histogramTotal } from '../../histogram.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from '../learner.ts'
import { type OptionTable, type OptionValues, resolveOptions } from '../options.ts'
import { isSample } from '../sample.ts'
import type { LearnerKind } from './kind.ts'
import { baselineTailS, baselineVariation } from './soc-lqr/baseline.ts'
import { type Capacity, NO_CAPACITY, observeCapacity, scaleCapacity } from './soc-lqr/capacity.ts'
import { type Demand, NO_DEMAND, observeDemand } from './soc-lqr/demand.ts'
import { normalisedGain } from './soc-lqr/gain.ts'
import { type Growth, growKnown, growUnknown, NO_GROWTH } from './soc-lqr/growth.ts'
import { forecast, kernelOf } from './soc-lqr/kernel.ts'
import { sessionRate } from './soc-lqr/steer.ts'
import {
  addToTier,
  closeTier,
  freshTier,
  type Standing,
  standingOf,
  type Tier,
} from './soc-lqr/tiers.ts'
import { HEADROOM_START, loadPart, observeTrim, type Trim } from './soc-lqr/trim.ts'

export const SOC_LQR_OPTIONS = {
  aim: {
    kind: 'number',
    default: 0.35,
    above: 0,
    max: 1,
    text: 'Share over the target to steer to, as a part of the share that the SLA allows.',
    source: 'the value is largest at 0.4 to 0.6; simulated',
  },
  loadWeight: { kind: 'number', default: 1, above: 0, text: 'Q of the load.', source: 'simulated' },
  waitWeight: {
    kind: 'number',
    default: 0.01,
    above: 0,
    text: 'Q of the wait.',
    source: 'simulated',
  },
  controlWeight: { kind: 'number', default: 0.1, above: 0, text: 'R.', source: 'simulated' },
  sessionRequests: { kind: 'number', default: 10, above: 0, text: 'M prior', source: 'simulated' },
  sessionAgeMs: {
    kind: 'number',
    default: 120_000,
    above: 0,
    text: 'D prior',
    source: 'simulated',
  },
  cold: { kind: 'number', default: 1.5, above: 1, text: 'headroom', source: 'simulated' },
} as const satisfies OptionTable

export interface SocLqrState extends LearnerState {
  readonly version: 1
  readonly tiers: readonly Tier[]
  readonly shares: readonly number[]
  readonly demand: Demand
  readonly capacity: Capacity
  readonly trim: Trim
  readonly growth: Growth
  readonly bias: number
  readonly goodput: number
  readonly inService: number
  readonly settling: boolean
  readonly interval: {
    readonly seconds: number
    readonly completed: number
    readonly requests: number
    readonly vanished: number
  }
  readonly cap: number
  readonly capTrim: number
  readonly limit: number | null
}

const FRESH: SocLqrState = {
  version: 1,
  tiers: [],
  shares: [],
  demand: NO_DEMAND,
  capacity: NO_CAPACITY,
  trim: { headroom: HEADROOM_START },
  growth: NO_GROWTH,
  bias: 1,
  goodput: 0,
  inService: 0,
  settling: false,
  interval: { seconds: 0, completed: 0, requests: 0, vanished: 0 },
  cap: 16,
  capTrim: 1,
  limit: null,
}
export class SocLqrLearner implements Learner<SocLqrState> {
  readonly #options: OptionValues<typeof SOC_LQR_OPTIONS>
  #state: SocLqrState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: SocLqrState = FRESH) {
    this.#options = resolveOptions(SOC_LQR_OPTIONS, options)
    this.#state = state
  }
  get state(): SocLqrState {
    return this.#state
  }

  update(sample: Sample): Decision {
    if (!isSample(sample)) return { limit: this.#state.limit, reason: 'invalid' }
    const o = this.#options
    let s = this.#state
    const tickS = sample.lengthMs / 1000
    for (const { before, after } of sample.capacity) {
      if (before > 0 && after > 0)
        s = {
          ...s,
          capacity: scaleCapacity(s.capacity, after / before),
          growth: {
            ...s.growth,
            proven: (s.growth.proven * after) / before,
            load: (s.growth.load * after) / before,
          },
          settling: true,
        }
    }
    const onSessions = sample.granularity === 'session'
    // tiers
    const servedBy = sample.tiers.map((t) => histogramTotal(t.latency))
    let tiers = sample.tiers.map((t, i) =>
      addToTier(s.tiers.find((x) => x.name === t.name) ?? freshTier(t.name), t, servedBy[i]!),
    )
    const completed = sample.tiers.reduce((sum, t) => sum + t.completed, 0)
    const served = servedBy.reduce((a, b) => a + b, 0)
    const latencyS = sample.tiers.reduce((sum, t) => sum + t.latencyUs / 1e6, 0)
    const requests = sample.admitted.requests * tickS
    const noData = completed === 0 && requests === 0 && sample.inService === 0
    const shares = tiers.map((_, i) => {
      const old = s.shares[i] ?? 1 / tiers.length
      return completed > 0
        ? old + Math.min(0.1, completed / 1000) * (sample.tiers[i]!.completed / completed - old)
        : old
    })
    const st = pool(
      tiers.map((t, i) => standingOf(t, sample.tiers[i]!)),
      shares,
    )
    const demand = onSessions
      ? observeDemand(s.demand, tickS, sample.admitted.sessions * tickS, sample.ages)
      : s.demand
    const kernel = onSessions
      ? kernelOf(demand, { perSession: o.sessionRequests, meanAgeS: o.sessionAgeMs / 1000 })
      : null
    const lagS = kernel?.meanAgeS ?? 0
    // wait
    const smooth = Math.min(1, tickS / Math.max(tickS, Math.min(st.meanS, 5 * tickS)))
    const goodput =
      s.goodput === 0
        ? served / tickS
        : s.goodput + Math.max(smooth, 0.5) * (served / tickS - s.goodput)
    const n = sample.inService
    const flow = Math.max(goodput, 1 / Math.max(tickS, st.meanS))
    const wait = n / flow - st.meanS
    const tickMean = served > 0 ? latencyS / served : 0
    const capped =
      !onSessions && n >= 0.6 * s.cap && sample.offered.requests > 1.02 * sample.admitted.requests
    const inEpisode = s.capacity.episode !== null
    const deep = inEpisode ? wait > st.slackS / 2 : wait > st.slackS
    const slow = tickMean > st.meanS + st.slackS / 2
    const busyAtCap = capped && wait * flow >= 3 && wait > 0.1 * st.meanS
    const backlogged = (deep && (slow || inEpisode)) || busyAtCap
    const variation =
      tiers.length > 0 ? Math.max(...tiers.map((t) => baselineVariation(t.baseline))) : 1
    const step = observeCapacity(s.capacity, {
      backlogged: backlogged && !noData,
      served,
      seconds: tickS,
      variation,
    })
    let capacity = step.capacity
    let settling = s.settling || step.changed
    // interval
    let interval = {
      seconds: s.interval.seconds + tickS,
      completed: s.interval.completed + completed,
      requests: s.interval.requests + requests,
      vanished: s.interval.vanished + requests - completed - (n - s.inService),
    }
    let trim = s.trim,
      growth = s.growth,
      capTrim = s.capTrim
    if (growth.load === 0) growth = { ...growth, load: 16 / st.meanS }
    const part = capacity.rate === null ? 0 : loadPart(trim, capacity.rate, st.slackS)
    let load = capacity.rate === null ? growth.load : part * capacity.rate
    let reason: Reason = capacity.rate === null ? 'cold' : 'steady'
    const wanted = capacity.rate === null ? 30 : 100
    const loadNow = interval.requests / interval.seconds
    if (interval.completed >= wanted && interval.seconds >= 1.5 * tickS) {
      tiers = tiers.map((t, i) =>
        t.completed >= 30 || t.completed >= 0.2 * interval.completed
          ? closeTier(t, sample.tiers[i]!, o.aim)
          : t,
      )
      const z = Math.max(0, ...tiers.map((t) => t.queueing))
      const allowed = 1 - Math.max(...sample.tiers.map((t) => t.percentile)) / 100
      const spent =
        Math.max(0, ...tiers.map((t) => t.spent)) +
        Math.max(0, interval.vanished) / interval.completed / allowed
      const evidence = {
        load: loadNow,
        completions: interval.completed,
        queueing: Math.max(z, (2 * wait) / st.slackS),
      }
      if (capacity.rate === null) {
        growth = growUnknown(growth, evidence, this.#options.cold, st.meanS)
      } else if (!settling) {
        const back = growKnown(
          growth,
          { ...evidence, queueing: z },
          load,
          capacity.rate,
          capacity.best,
        )
        growth = back.growth
        if (back.capacity !== capacity.rate) {
          capacity = { ...capacity, rate: back.capacity }
          reason = 'growing'
        }
        if (loadNow >= 0.85 * load || spent > o.aim) {
          const lag = lagS + st.meanS + 2 * tickS + interval.seconds
          if (onSessions || !capped)
            trim = observeTrim(trim, {
              spent,
              aim: o.aim,
              seconds: interval.seconds,
              lagS: lag,
              capacity: capacity.rate!,
              slackS: st.slackS,
            })
          if (!onSessions)
            capTrim = Math.min(
              1.25,
              Math.max(
                0.6,
                capTrim *
                  Math.exp(
                    (interval.seconds / (3 * lag) / 3) *
                      Math.max(-3, Math.min(1, (o.aim - spent) / o.aim)),
                  ),
              ),
            )
        }
      }
      interval = { seconds: 0, completed: 0, requests: 0, vanished: 0 }
    }
    if (capacity.rate !== null) load = loadPart(trim, capacity.rate, st.slackS) * capacity.rate
    else load = growth.load
    if (settling && sample.admitted.requests <= 1.1 * load && wait < st.slackS / 2) settling = false
    if (backlogged) reason = 'backlogged'
    if (step.changed) reason = 'capacity'
    // rate
    const C = capacity.rate
    const reference = load * (st.meanS + st.slackS / 2)
    const excessWait = Math.max(0, n - reference) / (load * st.slackS)
    const gain = normalisedGain(
      { lagS, slackS: st.slackS, tickS },
      { load: o.loadWeight, wait: o.waitWeight, control: o.controlWeight },
    )
    let limit: number,
      bias = s.bias,
      burst: number,
      cap: number | null = null
    if (kernel) {
      const expected = forecast(s.demand, kernel, tickS / 2)
      if (expected * tickS > 1)
        bias = Math.min(
          1.5,
          Math.max(0.5, bias + 0.02 * (sample.admitted.requests / expected - bias)),
        )
      limit = sessionRate(demand, kernel, { load, bias, excessWait, gain })
      burst = Math.max(3, 0.05 * lagS * limit)
    } else {
      limit = load * Math.min(1.5, Math.max(0.02, 1 - gain.wait * excessWait))
      if (C !== null) {
        const tail = Math.max(
          ...sample.tiers.map((t, i) =>
            baselineTailS(tiers[i]!.baseline, o.aim * (1 - t.percentile / 100)),
          ),
        )
        const target = Math.min(...sample.tiers.map((t) => t.targetMs / 1000))
        cap =
          C * Math.max(st.meanS * 1.05, Math.min(st.meanS + target - tail, target / 2)) * capTrim
        cap = Math.max(2, Math.round(cap))
        if (n <= 1.2 * cap) limit = Math.max(limit, 1.1 * C)
      } else {
        cap = Math.max(16, Math.ceil(growth.load * (st.meanS + st.slackS / 2)))
      }
      burst = Math.max(3, (limit * st.slackS) / 2)
    }
    if (noData) reason = 'no-data'
    this.#state = {
      version: 1,
      tiers,
      shares,
      demand,
      capacity,
      trim,
      growth,
      bias,
      goodput,
      inService: n,
      settling,
      interval,
      cap: cap ?? s.cap,
      capTrim,
      limit,
    }
    return {
      limit,
      reason,
      burst,
      inFlight: cap,
      ...(kernel ? { requestsPerSession: kernel.perSession } : {}),
    }
  }
}

function pool(standings: readonly Standing[], shares: readonly number[]): Standing {
  if (standings.length === 0) return { meanS: 1, slackS: 1, targetS: 4 }
  const total = shares.reduce((a, b) => a + b, 0)
  let meanS = 0,
    slackS = Number.POSITIVE_INFINITY,
    targetS = Number.POSITIVE_INFINITY
  standings.forEach((st, i) => {
    const f = shares[i]! / total
    meanS += f * st.meanS
    slackS = Math.min(slackS, st.slackS * Math.max(f, 0.1))
    targetS = Math.min(targetS, st.targetS)
  })
  return { meanS, slackS, targetS }
}

export const socLqr: LearnerKind = {
  text: "SOC's operating point with LQR's correction.",
  options: SOC_LQR_OPTIONS,
  accepts: (_o, state) => (state as SocLqrState)?.version === 1,
  create: (options, state) => new SocLqrLearner(options, (state as SocLqrState) ?? FRESH),
}
