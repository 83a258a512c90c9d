import { exactly, list, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from '../learner-interface.ts'
import { isUsableSample, keptUpFraction } from '../sample.ts'
import { type AimdClassState, addToClass, isAimdClassState, runClass } from './classes.ts'
import { AIMD_DEFAULTS } from './defaults.ts'
import type { AimdOptions } from './options.ts'

interface MulticlassState extends LearnerState {
  readonly version: 1
  /** In order of value, highest first. */
  readonly classes: readonly AimdClassState[]
}

export const isMulticlassState: StateSchema = object({
  version: exactly(1),
  classes: list(isAimdClassState),
})

/** If classes differ, the first of these is reported. */
const REASON_PRECEDENCE: readonly Reason[] = ['slow', 'fast', 'steady']

/**
 * SEDA's class-based differentiation (Welsh and Culler 2003, §3.3): one controller for each class. When a class is
 * too slow, the less valuable classes are cut first. Rates become probabilities, because no isolate sees all
 * requests of a class.
 */
export class MulticlassAimdLearner implements Learner<MulticlassState> {
  readonly #options: AimdOptions
  #state: MulticlassState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = { ...AIMD_DEFAULTS, ...options }
    this.#state = isMulticlassState(state)
      ? (state as MulticlassState)
      : { version: 1, classes: [] }
  }

  get state(): MulticlassState {
    return this.#state
  }

  update(sample: Sample): Decision {
    if (!isUsableSample(sample)) return this.#decide('invalid')
    const ticks = [...sample.classes].sort((a, b) => b.value - a.value)
    // Classes that the tick does not name have left the configuration: their state is dropped.
    let classes: readonly AimdClassState[] = ticks.map((tick) => {
      const known = this.#state.classes.find(({ key }) => key === tick.key)
      return addToClass(known, tick, sample.lengthMs)
    })
    const paces = new Set<Reason>()
    for (const [index, tick] of ticks.entries()) {
      const served = tick.admitted * keptUpFraction(sample)
      const ran = runClass(classes, index, tick, served, this.#options)
      classes = ran.classes
      if (ran.pace !== null) paces.add(ran.pace)
    }
    this.#state = {
      version: 1,
      classes: classes.map((own, index) => withProbability(own, ticks[index]!.offered)),
    }
    const reasonWithoutRun = classes.every(({ rate }) => rate === null) ? 'cold' : 'no-data'
    return this.#decide(REASON_PRECEDENCE.find((reason) => paces.has(reason)) ?? reasonWithoutRun)
  }

  #decide(reason: Reason): Decision {
    const probabilities = Object.fromEntries(
      this.#state.classes.map(({ key, probability }) => [key, probability]),
    )
    const rates = Object.fromEntries(
      this.#state.classes.flatMap(({ key, rate }) => (rate === null ? [] : [[key, rate]])),
    )
    return { limit: null, reason, probabilities, rates }
  }
}

function withProbability(own: AimdClassState, offered: number): AimdClassState {
  const probability = own.rate === null || offered <= own.rate ? 1 : own.rate / offered
  return { ...own, probability }
}
