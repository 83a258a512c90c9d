import type { OptionTable } from '../../lib/option-table.ts'

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
    text: 'Response time above which no new session is admitted, RT^TBAC, as a fraction of the SLA target.',
    source: 'Bartolini et al. 2009, §7: RT^TBAC = RT_SLA (printed as T_AC)',
  },
} as const satisfies OptionTable
