import { atLeastZero, exactly, list, nullable, object, text } from '../../lib/state-schema.ts'
import type { Decision, Learner, LearnerState, Sample, TierSample } from '../learner-interface.ts'
import { isUsableSample, keptUpRateOf } from '../sample.ts'
import {
  addToWindow,
  completedIn,
  EMPTY_WINDOW,
  isWindow,
  rateIn,
  tierPercentileMs,
  type Window,
} from '../window.ts'
import { AIMD_DEFAULTS } from './defaults.ts'
import {
  decreased,
  inBounds,
  increased,
  type Pace,
  paceOf,
  relativeError,
  smooth,
  startRate,
} from './law.ts'
import type { AimdOptions } from './options.ts'

interface AimdState extends LearnerState {
  readonly version: 1
  /** null until requests complete. */
  readonly limit: number | null
  /** Since the controller last ran. */
  readonly window: Window
  /** cur: the smoothed percentile of each tier. */
  readonly current: readonly { readonly name: string; readonly ms: number }[]
}

const INITIAL_STATE: AimdState = { version: 1, limit: null, window: EMPTY_WINDOW, current: [] }

export const isAimdState = object({
  version: exactly(1),
  limit: nullable(atLeastZero),
  window: isWindow,
  current: list(object({ name: text, ms: atLeastZero })),
})

/** SEDA's response-time controller (Welsh and Culler 2003, §3.2). The slowest tier decides. */
export class AimdLearner implements Learner<AimdState> {
  readonly #options: AimdOptions
  #state: AimdState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = { ...AIMD_DEFAULTS, ...options }
    this.#state = isAimdState(state) ? (state as AimdState) : INITIAL_STATE
  }

  get state(): AimdState {
    return this.#state
  }

  update(sample: Sample): Decision {
    const { limit } = this.#state
    if (!isUsableSample(sample)) return { limit, reason: 'invalid' }
    const window = addToWindow(this.#state.window, sample)
    const completed = completedIn(window)
    const due = window.elapsedMs >= this.#options.timeoutMs || completed >= this.#options.samples
    this.#state = { ...this.#state, window: due ? EMPTY_WINDOW : window }
    if (!due || completed === 0) return { limit, reason: limit === null ? 'cold' : 'no-data' }
    return this.#run(sample, window)
  }

  #run(sample: Sample, window: Window): Decision {
    const o = this.#options
    const tiers = sample.tiers.map((tier) => this.#assessTier(tier, window))
    const error = Math.max(...tiers.map((tier) => tier.error))
    const reason = paceOf(error, o)
    const limit = this.#nextLimit(reason, error, rateIn(window, 'offered'), keptUpRateOf(sample))
    const current = tiers.flatMap(({ name, ms }) => (ms === null ? [] : [{ name, ms }]))
    this.#state = { ...this.#state, limit, current }
    return { limit, reason }
  }

  #nextLimit(reason: Pace, error: number, offered: number, served: number): number {
    const { limit } = this.#state
    if (limit === null) return startRate(served, reason, this.#options)
    if (reason === 'slow') return decreased(limit, this.#options)
    if (reason === 'fast') return increased(limit, error, offered, this.#options)
    return inBounds(limit, this.#options)
  }

  /** A tier without completed requests keeps its estimate and does not count in this run. */
  #assessTier(
    tier: TierSample,
    window: Window,
  ): { name: string; ms: number | null; error: number } {
    const { name, targetMs } = tier
    const percentile = this.#options.percentile > 0 ? this.#options.percentile : tier.percentile
    const sampleMs = tierPercentileMs(window, { name, targetMs, percentile })
    const old = this.#state.current.find((candidate) => candidate.name === name)?.ms ?? null
    if (sampleMs === null) return { name, ms: old, error: Number.NEGATIVE_INFINITY }
    const ms = smooth(old, sampleMs, this.#options)
    return { name, ms, error: relativeError(ms, targetMs) }
  }
}
