import type { OptionTable, OptionValues } from '../../lib/option-table.ts'

export const SOC_LQR_OPTIONS = {
  certainty: {
    kind: 'number',
    default: 2,
    min: 0,
    text: 'By how many standard deviations of their windows the mean of what is over the target stays below what the SLA allows.',
    source: 'of a normal distribution 98 in 100 lie below; simulated',
  },
  headroom: {
    kind: 'number',
    default: 0.5,
    above: 0,
    text: 'Part of what a queue with Poisson arrivals needs that is left free when the capacity is first known, until trimmed.',
    source: 'Kingman 1962 has 1; simulated: 0.5 and 0.8 have the same score on random worlds',
  },
  floor: {
    kind: 'number',
    default: 0.4,
    above: 0,
    max: 1,
    text: 'Least part of the capacity to admit: a response time out of reach shuts nothing down.',
    source: 'ours; Mathur et al. 2009, §III-A have a floor of 0.05',
  },
  startInService: {
    kind: 'number',
    default: 8,
    min: 1,
    text: 'Requests at the origin that no origin minds, before its service time is known.',
    source: 'simulated',
  },
  step: {
    kind: 'number',
    default: 1.3,
    above: 1,
    text: 'How much the load of sessions grows at a time while the capacity is not known.',
    source: 'simulated: 1.2 is slow after a start from little, 1.5 misses windows',
  },
  sessionRequests: {
    kind: 'number',
    default: 10,
    above: 0,
    text: 'Requests of a session, as long as none has been watched to its end.',
    source: 'SPECweb2005 makes 9.7 (Bartolini et al. 2009, §7)',
  },
  sessionAgeMs: {
    kind: 'number',
    default: 120_000,
    above: 0,
    text: 'Mean age of a session at its requests, as long as none has been watched to its end.',
    source: 'SPECweb2005 with a think time of 10 s (Bartolini et al. 2009, §7)',
  },
  weightLoad: {
    kind: 'number',
    default: 1,
    above: 0,
    text: 'Cost of a deviation of the load from its operating point, Q₁.',
    source: 'Mathur et al. 2009, §III-B, on normalised states; simulated',
  },
  weightWait: {
    kind: 'number',
    default: 0.01,
    above: 0,
    text: 'Cost of waiting, in units of the time that the SLA leaves for it, Q₂.',
    source: 'small, because a backlog is paid back as a debt; simulated',
  },
  weightRate: {
    kind: 'number',
    default: 0.1,
    above: 0,
    text: 'Cost of a deviation of the admitted rate, R.',
    source: 'Mathur et al. 2009, §III-B, on normalised states; simulated',
  },
} as const satisfies OptionTable

export type SocLqrOptions = OptionValues<typeof SOC_LQR_OPTIONS>
