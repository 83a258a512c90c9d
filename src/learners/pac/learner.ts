import { resolveOptions } from '../../lib/option-table.ts'
import type { LearnerKind } from '../kind.ts'
import { isPolicyState, ProbabilityPolicy } from '../probability-policy.ts'
import { PAC_OPTIONS } from './options.ts'

/** Probabilistic admission control (Bartolini et al. 2009, §6.2). */
export const pac: LearnerKind = {
  text: 'Admits with a probability that falls linearly between two response times.',
  options: PAC_OPTIONS,
  accepts: (_options, state) => isPolicyState(state),
  create(options, state) {
    const { intervalMs, low, high } = resolveOptions(PAC_OPTIONS, options)
    return new ProbabilityPolicy(
      intervalMs,
      (responseMs, targetMs) => pacProbability(responseMs, low * targetMs, high * targetMs),
      state,
    )
  },
}

/** §6.2, eq. 1: (RT_high − RT) / (RT_high − RT_low), between 0 and 1. */
export function pacProbability(responseMs: number, lowMs: number, highMs: number): number {
  return Math.min(1, Math.max(0, (highMs - responseMs) / (highMs - lowMs)))
}
