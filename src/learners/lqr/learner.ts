import { resolveOptions } from '../../lib/option-table.ts'
import { atLeastZero, exactly, nullable, object, type StateSchema } from '../../lib/state-schema.ts'
import type { LearnerKind } from '../kind.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from '../learner-interface.ts'
import { capacityRatio, isUsableSample } from '../sample.ts'
import {
  addToWindow,
  EMPTY_WINDOW,
  isWindow,
  keepsSla,
  keptUpRateIn,
  meanMs,
  rateIn,
  type Window,
} from '../window.ts'
import { BUILT_IN_MODEL, gainFor, lqrLimit } from './law.ts'
import { addRow, EMPTY_FIT, type Fit, isFit, modelOf } from './model.ts'
import {
  arePowerSlices,
  type BestOperatingPoint,
  bestOperatingPoint,
  type LqrPoint,
  type PowerSlice,
  recordPower,
  scalePower,
} from './operating-point.ts'
import { LQR_OPTIONS, type LqrOptions } from './options.ts'
import type { Vector2 } from './riccati.ts'

interface LqrState extends LearnerState {
  readonly version: 1
  readonly limit: number | null
  /** The current interval. */
  readonly window: Window
  /** The filtered measurements of eq. 2. */
  readonly filtered: LqrPoint | null
  readonly power: readonly PowerSlice[]
  /** The smallest target of any tier in the last interval. */
  readonly targetMs: number
  readonly responseFit: Fit
  readonly goodputFit: Fit
  /** How long `excite` has run. */
  readonly excitedMs: number
}

const INITIAL_STATE: LqrState = {
  version: 1,
  limit: null,
  window: EMPTY_WINDOW,
  filtered: null,
  power: [],
  targetMs: 0,
  responseFit: EMPTY_FIT,
  goodputFit: EMPTY_FIT,
  excitedMs: 0,
}

const isState: StateSchema = object({
  version: exactly(1),
  limit: nullable(atLeastZero),
  window: isWindow,
  filtered: nullable(object({ rate: atLeastZero, responseMs: atLeastZero, goodput: atLeastZero })),
  power: arePowerSlices,
  targetMs: atLeastZero,
  responseFit: isFit,
  goodputFit: isFit,
  excitedMs: atLeastZero,
})

/**
 * The limit binds if the offered rate is at least this fraction of it. Below, a low goodput only means little
 * traffic (§III-C, case b).
 */
const BINDING_FROM = 0.9
/** A limit within this fraction of the operating rate counts as equal to it. */
const NEAR = 0.02
const CYCLES = 3
/** The limit grows only while the response time is below this multiple of the operating point's. */
const GROWTH_BELOW = 1.5
/** A backlog drains if more requests are served than admitted, by this factor. */
const DRAINING = 1.1

/** Adaptive admission control by a linear quadratic regulator (Mathur et al. 2009). */
export class LqrLearner implements Learner<LqrState> {
  readonly #options: LqrOptions
  readonly #builtInGain: Vector2
  #state: LqrState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = resolveOptions(LQR_OPTIONS, options)
    this.#builtInGain = gainFor(BUILT_IN_MODEL, this.#options) ?? [0, 0]
    this.#state = isState(state) ? (state as LqrState) : INITIAL_STATE
  }

  get state(): LqrState {
    return this.#state
  }

  update(sample: Sample): Decision {
    const { limit } = this.#state
    if (!isUsableSample(sample)) return { limit, reason: 'invalid' }
    const ratio = capacityRatio(sample.capacity)
    if (ratio !== 1) return this.#rescale(ratio)
    const window = addToWindow(this.#state.window, sample)
    const due = window.elapsedMs >= this.#options.intervalMs
    this.#state = { ...this.#state, window: due ? EMPTY_WINDOW : window }
    if (!due) return { limit, reason: this.#reason(limit) }
    const responseMs = meanMs(window, sample.tiers)
    // Without completed requests R is undefined: keep the last limit.
    if (!responseMs) return { limit, reason: limit === null ? 'cold' : 'no-data' }
    const [rate, goodput] = [rateIn(window, 'admitted'), rateIn(window, 'served')]
    this.#learn(window, sample, { rate, responseMs, goodput })
    return this.#decide(window)
  }

  /** An announced change moves the operating point. The interval of the change is not learned from. */
  #rescale(ratio: number): Decision {
    const { power, limit } = this.#state
    this.#state = {
      ...this.#state,
      power: scalePower(power, ratio),
      limit: limit === null ? null : limit * ratio,
      window: EMPTY_WINDOW,
    }
    return { limit: this.#state.limit, reason: 'capacity' }
  }

  /** Eq. 2: α multiplies the old value. */
  #filter(now: LqrPoint): LqrPoint {
    const old = this.#state.filtered
    if (old === null) return now
    const { smoothResponse, smoothGoodput } = this.#options
    const mix = (alpha: number, name: keyof LqrPoint) => alpha * old[name] + (1 - alpha) * now[name]
    return {
      rate: mix(smoothGoodput, 'rate'),
      responseMs: mix(smoothResponse, 'responseMs'),
      goodput: mix(smoothGoodput, 'goodput'),
    }
  }

  /** Adds the interval to both fits (each state by its previous value and the admitted rate) and to the power seen. */
  #learn(window: Window, { tiers }: Sample, now: LqrPoint): void {
    const { filtered: old, responseFit, goodputFit, power, limit } = this.#state
    const filtered = this.#filter(now)
    // While a backlog drains, response times belong to requests admitted earlier.
    const draining = window.served > DRAINING * window.requests
    // §III-A: the model is fitted to the whole sweep, so no part of it is forgotten meanwhile.
    const { excitation } = this.#options
    const rules = { excitation, memory: this.#isExciting() ? 1 : this.#options.memory }
    const fitted = (fit: Fit, name: 'responseMs' | 'goodput') =>
      old === null || draining
        ? fit
        : addRow(fit, { x: old[name], u: now.rate, y: filtered[name] }, rules)
    this.#state = {
      ...this.#state,
      filtered,
      responseFit: fitted(responseFit, 'responseMs'),
      goodputFit: fitted(goodputFit, 'goodput'),
      targetMs: Math.min(...tiers.map((tier) => tier.targetMs)),
      power: draining
        ? power
        : recordPower(power, {
            ...now,
            keptUp: keptUpRateIn(window),
            keepsSla: keepsSla(window, tiers),
            binding: isBinding(window, limit),
            forget: this.#options.forget,
          }),
    }
  }

  #decide(window: Window): Decision {
    const point = this.#operatingPoint()
    if (point === null) return { limit: this.#state.limit, reason: 'cold' }
    const limit = this.#limit(point, window)
    this.#state = { ...this.#state, limit }
    return { limit, reason: this.#reason(limit) }
  }

  #limit(point: LqrPoint, window: Window): number {
    const o = this.#options
    if (this.#isExciting()) return this.#excitationLimit(point, window)
    const { filtered, limit } = this.#state
    // §III-C, case b: if the limit does not bind, a low goodput only means little traffic.
    const seen = isBinding(window, limit) ? filtered! : { ...filtered!, goodput: point.goodput }
    const steered = lqrLimit(this.#gain(point).gain, seen, point, o)
    const mayGrow = filtered!.responseMs < GROWTH_BELOW * point.responseMs
    return this.#isUnexplored() && mayGrow ? Math.max(steered, o.growth * point.rate) : steered
  }

  /** True as long as no load slightly above the best one was seen. */
  #isUnexplored(): boolean {
    return this.#options.rate === 0 && this.#best()?.bracketed === false
  }

  #best(): BestOperatingPoint | null {
    return bestOperatingPoint(this.#state.power, this.#state.targetMs, this.#options.growth)
  }

  #isExciting(): boolean {
    const { excite, cycleMs } = this.#options
    return excite && this.#state.excitedMs < CYCLES * cycleMs
  }

  /** §III-A: a sine wave over the whole operating range. */
  #excitationLimit(point: LqrPoint, window: Window): number {
    const { floor, ceiling, cycleMs } = this.#options
    const excitedMs = this.#state.excitedMs + window.elapsedMs
    this.#state = { ...this.#state, excitedMs }
    const angle = (2 * Math.PI * excitedMs) / cycleMs
    return point.rate * ((ceiling + floor) / 2 + ((ceiling - floor) / 2) * Math.sin(angle))
  }

  #gain(point: LqrPoint): { readonly gain: Vector2; readonly fitted: boolean } {
    const { responseFit, goodputFit } = this.#state
    const model = modelOf(responseFit, goodputFit, point, this.#options.excitation)
    const gain = model === null ? null : gainFor(model, this.#options)
    return gain === null ? { gain: this.#builtInGain, fitted: false } : { gain, fitted: true }
  }

  /** θ: the options, or learned values where an option is 0; null while a value is missing. */
  #operatingPoint(): LqrPoint | null {
    const learned = this.#best()?.point
    const rate = this.#options.rate || (learned?.rate ?? 0)
    const responseMs = this.#options.responseMs || (learned?.responseMs ?? 0)
    const goodput = this.#options.goodput || (learned?.goodput ?? 0)
    return rate > 0 && responseMs > 0 && goodput > 0 ? { rate, responseMs, goodput } : null
  }

  #reason(limit: number | null): Reason {
    const point = this.#operatingPoint()
    if (limit === null || point === null) return 'cold'
    if (this.#isUnexplored()) return 'growing'
    if (!this.#gain(point).fitted) return 'unidentified'
    if (limit < point.rate * (1 - NEAR)) return 'slow'
    return limit > point.rate * (1 + NEAR) ? 'fast' : 'steady'
  }
}

function isBinding(window: Window, limit: number | null): boolean {
  return limit !== null && rateIn(window, 'offered') >= BINDING_FROM * limit
}

export const lqr: LearnerKind = {
  text: 'A linear quadratic regulator that keeps response time and goodput near the point of highest power.',
  options: LQR_OPTIONS,
  accepts: (_options, state) => isState(state),
  create: (options, state) => new LqrLearner(options, state),
}
