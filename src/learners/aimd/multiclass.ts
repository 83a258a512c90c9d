import { resolveOptions } from '../../lib/option-table.ts'
import { exactly, list, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Decision, Learner, LearnerState, Reason, Sample } from '../learner.ts'
import { isUsableSample, keptUp } from '../sample.ts'
import { type AimdClassState, addToClass, isAimdClassState, runClass } from './classes.ts'
import { AIMD_OPTIONS, type AimdOptions } from './law.ts'

interface MulticlassState extends LearnerState {
  readonly version: 1
  /** Most important first. */
  readonly classes: readonly AimdClassState[]
}

export const isMulticlassState: StateSchema = object({
  version: exactly(1),
  classes: list(isAimdClassState),
})

/** Of several classes' judgements, the one to report. */
const TELLING: readonly Reason[] = ['slow', 'fast', 'steady']

/**
 * SEDA's class-based differentiation (Welsh and Culler 2003, §3.3): one controller for each class; when one is
 * too slow, all lesser classes give way first. Its rates become probabilities, so that they can be enforced
 * where nobody sees the whole of a class.
 */
export class MulticlassAimdLearner implements Learner<MulticlassState> {
  readonly #options: AimdOptions
  #state: MulticlassState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = resolveOptions(AIMD_OPTIONS, options)
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
    // Classes that the tick does not name are forgotten: they are gone from the configuration.
    let classes: readonly AimdClassState[] = ticks.map((tick) => {
      const known = this.#state.classes.find(({ key }) => key === tick.key)
      return addToClass(known, tick, sample.lengthMs)
    })
    const judgements = new Set<Reason>()
    for (const [index, tick] of ticks.entries()) {
      const served = tick.admitted * keptUp(sample)
      const ran = runClass(classes, index, tick, served, this.#options)
      classes = ran.classes
      if (ran.judged !== null) judgements.add(ran.judged)
    }
    this.#state = {
      version: 1,
      classes: classes.map((own, index) => withProbability(own, ticks[index]!.offered)),
    }
    const silent = classes.every(({ rate }) => rate === null) ? 'cold' : 'no-data'
    return this.#decide(TELLING.find((reason) => judgements.has(reason)) ?? silent)
  }

  #decide(reason: Reason): Decision {
    const probabilities = Object.fromEntries(
      this.#state.classes.map(({ key, probability }) => [key, probability]),
    )
    return { limit: null, reason, probabilities }
  }
}

function withProbability(own: AimdClassState, offered: number): AimdClassState {
  const probability = own.rate === null || offered <= own.rate ? 1 : own.rate / offered
  return { ...own, probability }
}
