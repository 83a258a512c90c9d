import { type OptionTable, type OptionValues, resolveOptions } from '../lib/option-table.ts'
import { exactly, object } from '../lib/state-schema.ts'
import type { LearnerKind } from './kind.ts'
import type { Decision, Learner, LearnerState, Sample } from './learner.ts'
import { isUsableSample } from './sample.ts'

export const FIXED_OPTIONS = {
  limit: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Rate to admit, in new sessions/s or requests/s; 0 sets no limit.',
    source: 'set by hand, as the static control of Mathur et al. 2009, §II-A',
  },
  inFlight: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Most requests at the origin at once; 0 sets no cap.',
    source: 'set by hand',
  },
} as const satisfies OptionTable

interface FixedState extends LearnerState {
  readonly version: 1
}

const isState = object({ version: exactly(1) })

/** A limit set by hand: the static admission control that the adaptive ones are compared with. */
export class FixedLearner implements Learner<FixedState> {
  readonly state: FixedState = { version: 1 }
  readonly #options: OptionValues<typeof FIXED_OPTIONS>

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
