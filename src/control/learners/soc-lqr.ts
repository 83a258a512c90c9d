import { histogramTotal } from '../../histogram.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from '../learner.ts'
import { type OptionTable, type OptionValues, resolveOptions } from '../options.ts'
import { isSample } from '../sample.ts'
import type { LearnerKind } from './kind.ts'
import { baselineTailS, baselineVariation } from './soc-lqr/baseline.ts'
import { aimOf, type Budget, NO_BUDGET, observeBudget } from './soc-lqr/budget.ts'
import {
  type Capacity,
  NO_CAPACITY,
  observeCapacity,
  raiseCapacity,
  scaleCapacity,
} from './soc-lqr/capacity.ts'
import { type Demand, NO_DEMAND, observeDemand, withoutSessions } from './soc-lqr/demand.ts'
import { normalisedGain } from './soc-lqr/gain.ts'
import { type Growth, growUnknown, headroomOf, NO_GROWTH, startGrowth } from './soc-lqr/growth.ts'
import { decideCap, type InFlight, NO_CAP, observeCap, trimCap } from './soc-lqr/in-flight.ts'
import { kernelOf, requestsOf } from './soc-lqr/kernel.ts'
import { endProbe, NO_PROBE, observeProbe, type Probe, probedLoad } from './soc-lqr/probe.ts'
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
  cold: { kind: 'number', default: 0, text: 'headroom', source: 'simulated' },
  x: { kind: 'number', default: 0, text: 'x', source: 'simulated' },
  y: { kind: 'number', default: 0, text: 'x', source: 'simulated' },
} as const satisfies OptionTable

export interface SocLqrState extends LearnerState {
  readonly version: 1
  readonly tiers: readonly Tier[]
  readonly shares: readonly number[]
  readonly demand: Demand
  readonly capacity: Capacity
  readonly trim: Trim
  readonly budget: Budget
  readonly growth: Growth
  readonly probe: Probe
  readonly bias: number
  readonly goodput: number
  readonly inService: number
  readonly gone: number
  readonly settling: boolean
  readonly backlogged: boolean
  readonly interval: Interval
  readonly inFlight: InFlight
  readonly limit: number | null
}

interface Interval {
  readonly seconds: number
  readonly completed: number
  readonly requests: number
  readonly vanished: number
}
const NO_INTERVAL: Interval = { seconds: 0, completed: 0, requests: 0, vanished: 0 }

const FRESH: SocLqrState = {
  version: 1,
  tiers: [],
  shares: [],
  demand: NO_DEMAND,
  capacity: NO_CAPACITY,
  trim: { headroom: HEADROOM_START },
  budget: NO_BUDGET,
  growth: NO_GROWTH,
  probe: NO_PROBE,
  bias: 1,
  goodput: 0,
  inService: 0,
  gone: 0,
  settling: false,
  backlogged: false,
  interval: NO_INTERVAL,
  inFlight: NO_CAP,
  limit: null,
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value))

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
      if (before > 0 && after > 0) {
        const ratio = after / before
        const { proven, load } = s.growth
        s = {
          ...s,
          capacity: scaleCapacity(s.capacity, ratio),
          growth: { ...s.growth, proven: proven * ratio, load: load * ratio },
          settling: true,
        }
      }
    }
    const windowS = Math.min(...sample.tiers.map((t) => t.windowMs)) / 1000
    const onSessions = sample.granularity === 'session'
    // ---- what the tick shows
    const servedBy = sample.tiers.map((t) => histogramTotal(t.latency))
    let tiers = sample.tiers.map((t, i) =>
      addToTier(s.tiers.find((x) => x.name === t.name) ?? freshTier(t.name), t, servedBy[i]!),
    )
    const completed = sample.tiers.reduce((sum, t) => sum + t.completed, 0)
    const served = servedBy.reduce((a, b) => a + b, 0)
    const latencyS = sample.tiers.reduce((sum, t) => sum + t.latencyUs / 1e6, 0)
    const requests = sample.admitted.requests * tickS
    const n = sample.inService
    const noData = completed === 0 && requests === 0 && n === 0
    const shares = tiers.map((_, i) => {
      const old = s.shares[i] ?? 1 / tiers.length
      if (completed === 0) return old
      return old + Math.min(0.1, completed / 1000) * (sample.tiers[i]!.completed / completed - old)
    })
    const standing = pool(
      tiers.map((t, i) => standingOf(t, sample.tiers[i]!)),
      shares,
    )
    const { meanS, slackS } = standing
    // ---- demand
    const observed = onSessions
      ? observeDemand(s.demand, {
          seconds: tickS,
          sessions: sample.admitted.sessions * tickS,
          ages: sample.ages,
        })
      : null
    let demand = observed?.demand ?? s.demand
    const kernel = onSessions
      ? kernelOf(demand, { perSession: o.sessionRequests, meanAgeS: o.sessionAgeMs / 1000 })
      : null
    const lagS = kernel?.meanAgeS ?? 0
    let gone = s.gone + requests - completed - (n - s.inService)
    if (kernel && gone > 0) {
      demand = withoutSessions(demand, kernel.rates, gone)
      gone = 0
    }
    // ---- backlog and capacity
    const goodput =
      s.goodput === 0 ? served / tickS : s.goodput + 0.5 * (served / tickS - s.goodput)
    const flow = Math.max(goodput, 1 / Math.max(tickS, meanS))
    const wait = n / flow - meanS
    // Against arrivals and not goodput: while the load rises, what is in service runs ahead of what is done.
    const usual = sample.admitted.requests * meanS
    const piling = (n - usual - 2 * Math.sqrt(usual)) / flow
    const tickMean = served > 0 ? latencyS / served : 0
    const capped =
      !onSessions &&
      s.inFlight.held > 0.5 &&
      n >= 0.6 * (s.inFlight.caps[0] ?? 1e9) &&
      sample.offered.requests > 1.02 * sample.admitted.requests
    const inEpisode = s.backlogged
    const deep = inEpisode ? wait > slackS / 2 : wait > slackS
    const slow = tickMean > meanS + slackS / 2
    const busyAtCap = capped && wait * flow >= 3 && wait > 0.1 * meanS
    const backlogged = !noData && ((deep && (slow || inEpisode)) || busyAtCap)
    const variation = Math.max(0, ...tiers.map((t) => baselineVariation(t.baseline)))
    const known = (s.capacity.rate ?? 0) + s.capacity.extra
    const busy = known > 0 && s.inService >= known * meanS + 2 * Math.sqrt(2 * known * tickS)
    const full = known > 0 ? known : goodput
    const fed = busyAtCap || s.inService - full * meanS + requests - full * tickS >= 0
    const vanished = Math.max(0, requests - completed - (n - s.inService))
    const found = observeCapacity(s.capacity, {
      backlogged,
      busy,
      fed,
      vanished,
      served,
      seconds: tickS,
      variation,
    })
    let { capacity } = found
    let settling = s.settling || found.changed
    // ---- intervals
    let interval: Interval = {
      seconds: s.interval.seconds + tickS,
      completed: s.interval.completed + completed,
      requests: s.interval.requests + requests,
      vanished: s.interval.vanished + requests - completed - (n - s.inService),
    }
    let { trim, growth, probe, budget } = s
    let inFlight = observeCap(s.inFlight, {
      before: s.inService,
      after: n,
      admitted: requests,
      served,
    })
    const aim = o.x > 0 ? o.aim : aimOf(budget)
    if (found.changed && !s.settling) probe = { ...probe, failed: 0 }
    if (backlogged && !busyAtCap && (found.changed || (capacity.episode?.completions ?? 0) >= 50))
      probe = endProbe(probe)
    growth = startGrowth(growth, meanS)
    const remembered = capacity.best / (capacity.rate ?? 1)
    const allowedLoad = (): number =>
      capacity.rate === null
        ? growth.load
        : Math.max(
            loadPart(trim, capacity.rate + capacity.extra, slackS),
            probedLoad(probe, remembered),
          ) *
          (capacity.rate + capacity.extra)
    let reason: Reason = capacity.rate === null ? 'cold' : 'steady'
    if (
      interval.completed >= (capacity.rate === null ? 30 : 100) &&
      interval.seconds >= 1.5 * tickS
    ) {
      const { completed: done } = interval
      tiers = tiers.map((t, i) =>
        t.completed >= 30 || t.completed >= 0.2 * done ? closeTier(t, sample.tiers[i]!, aim) : t,
      )
      const load = interval.requests / interval.seconds
      const z = Math.max(0, ...tiers.map((t) => t.queueing))
      const allowed = 1 - Math.max(...sample.tiers.map((t) => t.percentile)) / 100
      const spent =
        Math.max(0, ...tiers.map((t) => t.spent)) + Math.max(0, interval.vanished) / done / allowed
      const spread = meanS * Math.sqrt(variation / done)
      const queueing = Math.max(0, z - (2 * spread) / slackS, (2 * piling) / slackS)
      if (capacity.rate === null) {
        growth = growUnknown(
          growth,
          {
            load,
            completions: done,
            seconds: interval.seconds,
            spanS: 2 * slackS + meanS + 2 * tickS,
            queueing,
          },
          o.cold > 0 ? o.cold : headroomOf(lagS + 10 * tickS, windowS),
        )
      } else if (!settling) {
        const limit =
          loadPart(trim, capacity.rate + capacity.extra, slackS) * (capacity.rate + capacity.extra)
        probe = observeProbe(probe, {
          load: load / (capacity.rate + capacity.extra),
          limit: limit / (capacity.rate + capacity.extra),
          completions: done,
          seconds: interval.seconds,
          patienceS: windowS / 8,
          queueing: z,
        })
        if (load >= 0.85 * limit || spent > aim) {
          const lag = lagS + meanS + 2 * tickS + interval.seconds
          budget = observeBudget(budget, {
            seconds: interval.seconds,
            windowS,
            completed: done,
            spent,
          })
          if (onSessions || !capped) {
            const trimmed = observeTrim(trim, {
              spent,
              aim,
              seconds: interval.seconds,
              windowS,
              lagS: lag,
            })
            trim = trimmed.trim
            capacity = raiseCapacity(capacity, trimmed.excess / slackS, variation)
          }
          if (!onSessions) inFlight = trimCap(inFlight, spent, o.aim, interval.seconds / (3 * lag))
        }
      }
      interval = NO_INTERVAL
    }
    const load = allowedLoad()
    if (settling && sample.admitted.requests <= 1.1 * load && wait < slackS / 2) {
      settling = false
      // What was admitted before the change was found says nothing about the operating point after it.
      interval = NO_INTERVAL
      tiers = tiers.map((t) => ({
        ...t,
        completed: 0,
        served: 0,
        late: 0,
        latencyS: 0,
        latency: [],
      }))
    }
    if (probe.stage > 0) reason = 'growing'
    if (backlogged) reason = 'backlogged'
    if (found.changed) reason = 'capacity'
    if (noData) reason = 'no-data'
    // ---- the rate
    const reference = load * (meanS + slackS / 2)
    const excessWait = Math.max(0, n - reference) / (load * slackS)
    const gain = normalisedGain(
      { lagS, slackS, tickS },
      { load: o.loadWeight, wait: o.waitWeight, control: o.controlWeight },
    )
    let limit: number
    let bias = s.bias
    let burst: number
    let cap: number | null = null
    if (kernel) {
      const expected = requestsOf(kernel, observed!.exposureS)
      // Queueing makes sessions slower, and so they ask for less: that is no reason to foresee less for later.
      const ratio = requests / Math.max(expected, 1)
      const biased = expected > 1 && kernel.watched > 0.7 && (ratio > bias || wait < slackS / 2)
      if (biased) bias = clamp(bias + 0.02 * (ratio - bias), 0.7, 1.4)
      limit = sessionRate(demand, kernel, { load, bias, excessWait, gain })
      burst = Math.max(3, 0.05 * lagS * limit)
    } else {
      const raised = Math.max(1, probedLoad(probe, remembered))
      const rate = capacity.rate === null ? growth.load : capacity.rate * raised
      const tailS = Math.max(
        ...sample.tiers.map((t, i) =>
          baselineTailS(tiers[i]!.baseline, o.aim * (1 - t.percentile / 100)),
        ),
      )
      inFlight = decideCap(inFlight, {
        rate,
        known: capacity.rate !== null,
        meanS,
        slackS,
        targetS: standing.targetS,
        tailS,
      })
      cap = inFlight.caps[0]!
      const alone = load * clamp(1 - gain.wait * excessWait, 0.02, 1.5)
      limit = alone + inFlight.held * Math.max(0, 1.5 * rate - alone)
      burst = Math.max(3, limit * Math.max(slackS / 2, inFlight.held > 0.5 ? 0.25 : 0))
    }
    this.#state = {
      version: 1,
      tiers,
      shares,
      demand,
      capacity,
      trim,
      budget,
      growth,
      probe,
      bias,
      goodput,
      inService: n,
      gone,
      settling,
      backlogged,
      interval,
      inFlight,
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
  let meanS = 0
  let slackS = Number.POSITIVE_INFINITY
  let targetS = Number.POSITIVE_INFINITY
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
