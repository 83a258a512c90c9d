import { type OptionTable, resolveOptions } from '../lib/option-table.ts'
import type { LearnerKind } from './kind.ts'
import { isPolicyState, ProbabilityPolicy } from './probability-policy.ts'

export const TBAC_OPTIONS = {
  intervalMs: {
    kind: 'number',
    default: 10_000,
    above: 0,
    text: 'Time between two decisions, T_AC^TBAC.',
    source: 'Bartolini et al. 2009, §7.1.1',
  },
  threshold: {
    kind: 'number',
    default: 1,
    above: 0,
    text: 'Response time above which nobody new is admitted, RT^TBAC, as a part of the SLA target.',
    source: 'Bartolini et al. 2009, §7: RT^TBAC = RT_SLA (printed as T_AC)',
  },
} as const satisfies OptionTable

/** Threshold-based admission control (Bartolini et al. 2009, §6.1): a percentile exactly at the threshold admits. */
export const tbac: LearnerKind = {
  text: 'Admits everybody or nobody new, by the percentile of the last interval.',
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
