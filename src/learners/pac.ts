import { type OptionTable, resolveOptions } from '../lib/option-table.ts'
import type { LearnerKind } from './kind.ts'
import { isPolicyState, ProbabilityPolicy } from './probability-policy.ts'

export const PAC_OPTIONS = {
  intervalMs: {
    kind: 'number',
    default: 10_000,
    above: 0,
    text: 'Time between two decisions, T_AC^PAC.',
    source: 'Bartolini et al. 2009, §7.1.1',
  },
  low: {
    kind: 'number',
    default: 0.6,
    min: 0,
    below: 1,
    text: 'Response time up to which everybody is admitted, RT_low^PAC, as a part of the SLA target.',
    source: 'Bartolini et al. 2009, §7: 3 s where RT_SLA is 5 s (printed as T_low)',
  },
  high: {
    kind: 'number',
    default: 1,
    min: 1,
    text: 'Response time above which nobody new is admitted, RT_high^PAC, as a part of the SLA target.',
    source: 'Bartolini et al. 2009, §7: RT_high^PAC = RT_SLA (printed as T_high)',
  },
} as const satisfies OptionTable

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

/** §6.2, eq. 1: (RT_high − RT) / (RT_high − RT_low), held between 0 and 1. */
export function pacProbability(responseMs: number, lowMs: number, highMs: number): number {
  return Math.min(1, Math.max(0, (highMs - responseMs) / (highMs - lowMs)))
}
