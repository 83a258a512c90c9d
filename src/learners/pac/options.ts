import type { OptionTable } from '../../lib/option-table.ts'

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
    text: 'Response time up to which all new sessions are admitted, RT_low^PAC, as a fraction of the SLA target.',
    source: 'Bartolini et al. 2009, §7: 3 s with an RT_SLA of 5 s (printed as T_low)',
  },
  high: {
    kind: 'number',
    default: 1,
    min: 1,
    text: 'Response time above which no new session is admitted, RT_high^PAC, as a fraction of the SLA target.',
    source: 'Bartolini et al. 2009, §7: RT_high^PAC = RT_SLA (printed as T_high)',
  },
} as const satisfies OptionTable
