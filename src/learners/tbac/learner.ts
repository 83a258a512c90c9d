import { resolveOptions } from '../../lib/option-table.ts'
import type { LearnerKind } from '../kind.ts'
import { isPolicyState, ProbabilityPolicy } from '../probability-policy.ts'
import { TBAC_OPTIONS } from './options.ts'

/** Threshold-based admission control (Bartolini et al. 2009, §6.1). A percentile equal to the threshold admits. */
export const tbac: LearnerKind = {
  text: 'Admits all new sessions or none, by the percentile of the last interval.',
  options: TBAC_OPTIONS,
  accepts: (_options, state) => isPolicyState(state),
  create(options, state) {
    const { intervalMs, threshold } = resolveOptions(TBAC_OPTIONS, options)
    return new ProbabilityPolicy(
      intervalMs,
      (responseMs, targetMs) => (responseMs <= threshold * targetMs ? 1 : 0),
      state,
    )
  },
}
