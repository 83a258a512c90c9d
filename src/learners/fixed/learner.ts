import { resolveOptions } from '../../lib/option-table.ts'
import { exactly, object } from '../../lib/state-schema.ts'
import type { LearnerKind } from '../kind.ts'
import type { Decision, Learner, LearnerState, Sample } from '../learner-interface.ts'
import { isUsableSample } from '../sample.ts'
import { FIXED_OPTIONS, type FixedOptions } from './options.ts'

interface FixedState extends LearnerState {
  readonly version: 1
}

const isState = object({ version: exactly(1) })

/** A limit set by hand: the static admission control that the adaptive learners are compared with. */
class FixedLearner implements Learner<FixedState> {
  readonly state: FixedState = { version: 1 }
  readonly #options: FixedOptions

  constructor(options: Readonly<Record<string, unknown>> = {}) {
    this.#options = resolveOptions(FIXED_OPTIONS, options)
  }

  update(sample: Sample): Decision {
    const { limit, inFlight } = this.#options
    return {
      limit: limit > 0 ? limit : null,
      inFlightCap: inFlight > 0 ? inFlight : null,
      reason: isUsableSample(sample) ? 'fixed' : 'invalid',
    }
  }
}

export const fixed: LearnerKind = {
  text: 'A limit set by hand.',
  options: FIXED_OPTIONS,
  accepts: (_options, state) => isState(state),
  create: (options) => new FixedLearner(options),
}
