import type { OptionTable, OptionValues } from '../../lib/option-table.ts'

export const SOC_LQR_OPTIONS = {
  certainty: {
    kind: 'number',
    default: 2,
    min: 0,
    text: 'By how many standard deviations of their windows the mean of what is over the target stays below what the SLA allows.',
    source: 'of a normal distribution 98 in 100 lie below; simulated',
  },
  aim: {
    kind: 'number',
    default: 0.35,
    above: 0,
    max: 1,
    text: 'Share over the target that the cap on requests in flight is trimmed to, as a part of what the SLA allows.',
    source: 'simulated: value is largest between 0.2 and 0.5',
  },
  headroom: {
    kind: 'number',
    default: 1.5,
    above: 0,
    text: 'Requests by which the load stays below capacity in the time that the SLA leaves for waiting, until trimmed.',
    source: 'simulated: 0.8 to 3 are best on origins of 4 to 100 servers',
  },
  floor: {
    kind: 'number',
    default: 0.6,
    above: 0,
    max: 1,
    text: 'Least part of the capacity to admit: a response time out of reach shuts nothing down.',
    source: 'ours; Mathur et al. 2009, §III-A have a floor of 0.05',
  },
  startInService: {
    kind: 'number',
    default: 16,
    min: 1,
    text: 'Requests at the origin that no origin minds, before anything is known.',
    source: 'simulated',
  },
  overshoot: {
    kind: 'number',
    default: 0.15,
    above: 0,
    max: 1,
    text: 'Part of the SLA window within which too much is to drain, when growth beyond what is proven went too far.',
    source: 'simulated: 0.1 is slow after a start from little, 0.25 misses windows',
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
    source:
      'small, as sessions act minutes later and a queue drains in seconds; up to 64 times as much where sessions take seconds; simulated',
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
