import type { LearnerKind } from '../kind.ts'
import { AimdLearner, isAimdState } from './learner.ts'
import { isMulticlassState, MulticlassAimdLearner } from './multiclass.ts'
import { AIMD_OPTIONS } from './options.ts'

export const aimd: LearnerKind = {
  text: "SEDA's response-time controller: additive increase, multiplicative decrease.",
  options: AIMD_OPTIONS,
  accepts: ({ multiclass }, state) => (multiclass ? isMulticlassState(state) : isAimdState(state)),
  create: (options, state) =>
    options.multiclass
      ? new MulticlassAimdLearner(options, state)
      : new AimdLearner(options, state),
}
