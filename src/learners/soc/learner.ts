import { resolveOptions } from '../../lib/option-table.ts'
import {
  atLeastZero,
  exactly,
  flag,
  list,
  nullable,
  object,
  optional,
  type StateSchema,
} from '../../lib/state-schema.ts'
import type { LearnerKind } from '../kind.ts'
import type {
  Decision,
  Learner,
  LearnerState,
  LoadPoint,
  Reason,
  Sample,
} from '../learner-interface.ts'
import { capacityRatio, isUsableSample, rateOf } from '../sample.ts'
import {
  addToWindow,
  EMPTY_WINDOW,
  isWindow,
  rateIn,
  tierPercentileMs,
  type Window,
} from '../window.ts'
import { SOC_OPTIONS, type SocOptions } from './options.ts'
import {
  addSpread,
  drawnOf,
  moveWindow,
  NO_SPREAD,
  type RecentArrivals,
  type Spread,
  sigmaOf,
  surgeEnds,
  surgeStarts,
  windowRate,
} from './surge.ts'
import {
  curveOfTier,
  emptyKnowledge,
  isTierKnowledge,
  learnPair,
  limitOfTier,
  scaleTier,
  type TierKnowledge,
} from './tier-curve.ts'

interface SocState extends LearnerState {
  readonly version: 1
  /** λ*; null until a slice is reliable. */
  readonly limit: number | null
  /** λ̂_in: the predicted arrival rate; null before the first iteration. */
  readonly expected: number | null
  readonly reason: Reason
  readonly surge: boolean
  /** The current iteration. */
  readonly window: Window
  /** N of the current iteration, as `drawnOf` counts. Absent: stored by an older version. */
  readonly drawn?: number
  /** The moving window of §4.2. */
  readonly recent: readonly RecentArrivals[]
  readonly spread: Spread
  readonly tiers: readonly TierKnowledge[]
}

/** A new iteration begins. */
const NO_ITERATION = { window: EMPTY_WINDOW, drawn: 0 } as const

const INITIAL_STATE: SocState = {
  version: 1,
  limit: null,
  expected: null,
  reason: 'cold',
  surge: false,
  ...NO_ITERATION,
  recent: [],
  spread: NO_SPREAD,
  tiers: [],
}

const STORED_REASONS: readonly unknown[] = ['cold', 'steady', 'growing', 'capacity', 'no-data']

const isState: StateSchema = object({
  version: exactly(1),
  limit: nullable(atLeastZero),
  expected: nullable(atLeastZero),
  reason: (value) => STORED_REASONS.includes(value),
  surge: flag,
  window: isWindow,
  drawn: optional(atLeastZero),
  recent: list(object({ lengthMs: atLeastZero, offered: atLeastZero, admitted: atLeastZero })),
  spread: object({ iterations: atLeastZero, square: atLeastZero }),
  tiers: list(isTierKnowledge),
})

/** A backlog drains if more requests are served than admitted, by this factor. */
const DRAINING = 1.1

/** After this many iterations a surge ends even if no limit holds it, for example with guaranteed traffic. */
const LONGEST_SURGE_ITERATIONS = 10

/** Self-* overload control (Bartolini et al. 2009): learns the curve; its inverse gives the limit. */
export class SocLearner implements Learner<SocState> {
  readonly #options: SocOptions
  #state: SocState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = resolveOptions(SOC_OPTIONS, options)
    this.#state = isState(state) ? (state as SocState) : INITIAL_STATE
  }

  get state(): SocState {
    return this.#state
  }

  update(sample: Sample): Decision {
    if (!isUsableSample(sample)) return this.#decide('invalid')
    const ratio = capacityRatio(sample.capacity)
    if (ratio !== 1) return this.#rescale(ratio)
    this.#record(sample)
    if (this.#state.surge) return this.#followSurge()
    if (this.#isSurgeStarting()) return this.#startSurge()
    if (this.#state.window.elapsedMs >= this.#options.iterationMs) this.#iterate(sample)
    return this.#decide(this.#state.reason)
  }

  /** The curve of the first tier. */
  curve(): readonly LoadPoint[] {
    const [tier] = this.#state.tiers
    if (tier === undefined) return []
    return curveOfTier(tier, Number.POSITIVE_INFINITY, this.#options).map((point) => ({
      load: point.rate,
      value: point.responseMs,
    }))
  }

  #decide(reason: Reason): Decision {
    const { limit, expected } = this.#state
    return limit === null || expected === null
      ? { limit, reason }
      : { limit, reason, arrivals: expected }
  }

  #record(sample: Sample): void {
    const { limit, expected, recent, window, drawn = 0 } = this.#state
    const { iterationMs } = this.#options
    const seconds = sample.lengthMs / 1000
    const offered = rateOf(sample.offered, sample.granularity) * seconds
    const tick: RecentArrivals = {
      lengthMs: sample.lengthMs,
      offered,
      admitted: drawnOf(offered, limit, expected),
    }
    const admitted =
      limit === null ? Number.POSITIVE_INFINITY : Math.floor((limit * iterationMs) / 1000)
    this.#state = {
      ...this.#state,
      window: addToWindow(window, sample),
      drawn: drawn + tick.admitted,
      recent: moveWindow(recent, tick, { admitted, elapsedMs: iterationMs }),
    }
  }

  /** §5.3, in both modes: the slices are scaled by ρ. The iteration of the change is not learned from. */
  #rescale(ratio: number): Decision {
    const { limit, tiers } = this.#state
    this.#state = {
      ...this.#state,
      limit: limit === null ? null : limit * ratio,
      tiers: tiers.map((tier) => scaleTier(tier, ratio, this.#options)),
      reason: limit === null ? 'cold' : 'capacity',
      ...NO_ITERATION,
    }
    return this.#decide(this.#state.surge ? 'surge' : this.#state.reason)
  }

  #isSurgeStarting(): boolean {
    const { limit, spread, window, drawn: admitted = 0 } = this.#state
    const { iterationMs, q } = this.#options
    if (limit === null) return false
    const { elapsedMs } = window
    const sigma = sigmaOf(spread, limit, iterationMs)
    return surgeStarts({ admitted, elapsedMs, limit, sigma, q, iterationMs })
  }

  #startSurge(): Decision {
    this.#state = { ...this.#state, surge: true }
    return this.#followSurge()
  }

  /** §4.2: the predicted arrival rate follows every tick, and nothing is learned. */
  #followSurge(): Decision {
    const { limit, recent, window } = this.#state
    const expected = windowRate(recent, 'offered')
    this.#state = { ...this.#state, expected }
    const isOver = limit === null || surgeEnds({ rate: windowRate(recent, 'admitted'), limit })
    const isTooLong = window.elapsedMs >= LONGEST_SURGE_ITERATIONS * this.#options.iterationMs
    if (!isOver && !isTooLong) return this.#decide('surge')
    // The prediction stays, and a new iteration begins.
    this.#state = { ...this.#state, surge: false, ...NO_ITERATION }
    return this.#decide(this.#state.reason)
  }

  /** The paper's event TICK: predict arrivals, learn, set the limit. */
  #iterate(sample: Sample): void {
    const { window, expected, limit, spread, drawn = 0 } = this.#state
    const { arrivals } = this.#options
    const offered = rateIn(window, 'offered')
    const isBinding = limit !== null && limit > 0 && offered > limit
    this.#state = {
      ...this.#state,
      // λ̂(n) = αλ(n−1) + (1−α)λ̂(n−1)
      expected: expected === null ? offered : arrivals * offered + (1 - arrivals) * expected,
      spread: isBinding ? addSpread(spread, drawn / (window.elapsedMs / 1000), limit) : spread,
      ...NO_ITERATION,
    }
    const changed = this.#learn(sample, window)
    this.#setLimit(sample, window, changed)
  }

  /** Returns true if the origin of any tier has changed. */
  #learn(sample: Sample, window: Window): boolean {
    const rate = rateIn(window, 'admitted')
    // While a backlog drains, response times belong to requests admitted earlier.
    const draining = window.served > DRAINING * window.requests
    let anyChanged = false
    const tiers = sample.tiers.map((tier) => {
      const stored = this.#state.tiers.find(({ name }) => name === tier.name)
      const known = stored?.percentile === tier.percentile ? stored : emptyKnowledge(tier)
      const responseMs = tierPercentileMs(window, tier)
      if (responseMs === null || rate === 0 || draining) return known
      const learned = learnPair(known, { rate, responseMs }, tier.targetMs, this.#options)
      anyChanged ||= learned.changed
      return learned.tier
    })
    this.#state = { ...this.#state, tiers }
    return anyChanged
  }

  /** λ* = min over the tiers of f̂_i⁻¹(RT_SLA). */
  #setLimit(sample: Sample, window: Window, changed: boolean): void {
    const percentiles = sample.tiers.map((tier) => tierPercentileMs(window, tier))
    if (percentiles.every((ms) => ms === null)) {
      this.#state = { ...this.#state, reason: this.#state.limit === null ? 'cold' : 'no-data' }
      return
    }
    // The curve is extended beyond the largest reliable rate only while all targets are met.
    const areTargetsMet = sample.tiers.every((tier, i) => (percentiles[i] ?? 0) <= tier.targetMs)
    const limits = sample.tiers.flatMap((tier) => {
      const known = this.#state.tiers.find(({ name }) => name === tier.name)!
      return limitOfTier(known, tier.targetMs, areTargetsMet, this.#options) ?? []
    })
    const [first, ...rest] = limits
    if (first === undefined) return
    const least = rest.reduce((a, b) => (b.limit < a.limit ? b : a), first)
    const reason = changed ? 'capacity' : least.beyond ? 'growing' : 'steady'
    this.#state = { ...this.#state, limit: least.limit, reason }
  }
}

export const soc: LearnerKind = {
  text: 'Learns the response time at each admitted rate and admits the rate at which the response time equals the target.',
  options: SOC_OPTIONS,
  accepts: (_options, state) => isState(state),
  create: (options, state) => new SocLearner(options, state),
}
