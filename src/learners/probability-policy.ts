import { atLeastZero, exactly, list, object, type StateSchema, text } from '../lib/state-schema.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from './learner-interface.ts'
import { isUsableSample } from './sample.ts'
import { addToWindow, EMPTY_WINDOW, isWindow, tierPercentileMs, type Window } from './window.ts'

/** The admission probability for a tier's percentile. */
type ProbabilityOf = (responseMs: number, targetMs: number) => number

interface PolicyState extends LearnerState {
  readonly version: 1
  readonly probability: number
  /** Keys of all classes: the probability applies to each. */
  readonly classes: readonly string[]
  /** The current interval. */
  readonly window: Window
}

const INITIAL_STATE: PolicyState = { version: 1, probability: 1, classes: [], window: EMPTY_WINDOW }

export const isPolicyState: StateSchema = object({
  version: exactly(1),
  probability: (value) => atLeastZero(value) && (value as number) <= 1,
  classes: list(text),
  window: isWindow,
})

/**
 * The policies that Bartolini et al. 2009, §6, compare SOC with. In every interval each tier's percentile gives a
 * probability. The smallest one applies to all new sessions of the next interval.
 */
export class ProbabilityPolicy implements Learner<PolicyState> {
  readonly #intervalMs: number
  readonly #probabilityOf: ProbabilityOf
  #state: PolicyState

  constructor(intervalMs: number, probabilityOf: ProbabilityOf, state: unknown = null) {
    this.#intervalMs = intervalMs
    this.#probabilityOf = probabilityOf
    this.#state = isPolicyState(state) ? (state as PolicyState) : INITIAL_STATE
  }

  get state(): PolicyState {
    return this.#state
  }

  update(sample: Sample): Decision {
    if (!isUsableSample(sample)) return this.#decide('invalid')
    const window = addToWindow(this.#state.window, sample)
    const due = window.elapsedMs >= this.#intervalMs
    this.#state = {
      ...this.#state,
      classes: sample.classes.map(({ key }) => key),
      window: due ? EMPTY_WINDOW : window,
    }
    return due ? this.#run(sample, window) : this.#decide(this.#reason())
  }

  #run(sample: Sample, window: Window): Decision {
    const probabilities = sample.tiers.flatMap((tier) => {
      const responseMs = tierPercentileMs(window, tier)
      return responseMs === null ? [] : [this.#probabilityOf(responseMs, tier.targetMs)]
    })
    if (probabilities.length > 0) {
      this.#state = { ...this.#state, probability: Math.min(...probabilities) }
      return this.#decide(this.#reason())
    }
    // The paper does not say what happens in an interval without samples. An idle origin must admit, or it would
    // stay closed. An origin with requests in flight that completes none of them may be broken: keep the probability.
    if (sample.inFlight === 0) this.#state = { ...this.#state, probability: 1 }
    return this.#decide('no-data')
  }

  #reason(): Reason {
    if (this.#state.probability === 0) return 'slow'
    return this.#state.probability === 1 ? 'fast' : 'steady'
  }

  #decide(reason: Reason): Decision {
    const { probability, classes } = this.#state
    const probabilities = Object.fromEntries(classes.map((key) => [key, probability]))
    return { limit: null, reason, probabilities }
  }
}
