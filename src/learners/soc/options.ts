import type { OptionTable, OptionValues } from '../../lib/option-table.ts'

export const SOC_OPTIONS = {
  iterationMs: {
    kind: 'number',
    default: 60_000,
    above: 0,
    text: 'Length of an iteration, T_AC. Each iteration adds one pair to every tier and sets the limit once.',
    source: 'Bartolini et al. 2009, §7.1.1',
  },
  arrivals: {
    kind: 'number',
    default: 0.5,
    above: 0,
    max: 1,
    text: 'Weight of the last iteration in the predicted arrival rate, α.',
    source: 'Bartolini et al. 2009, §4.1',
  },
  q: {
    kind: 'number',
    default: 3,
    min: 0,
    text: 'Standard deviations by which the admitted rate must exceed the limit for a surge, q.',
    source: 'ours: the paper prints no value; 3 gives one false alarm in 700 iterations',
  },
  slice: {
    kind: 'number',
    default: 0.1,
    above: 0,
    max: 1,
    text: 'Width of a slice, l_λ, as a fraction of its rate.',
    source: 'ours: the paper uses 0.3 sessions/s with λ* = 2.1; a fraction fits any route',
  },
  tolerance: {
    kind: 'number',
    default: 0.25,
    above: 0,
    text: 'Largest standard error of a reliable barycenter, t_err, as a fraction of each coordinate.',
    source: 'ours: the paper prints no value, and one unit for two coordinates',
  },
  benchMs: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Percentile of the response time of the idle origin, RT_bench. 0 uses the lowest percentile seen.',
    source: 'ours: the paper measures it offline (§5.2)',
  },
  worst: {
    kind: 'number',
    default: 4,
    min: 2,
    text: 'Longer response times count as this multiple of the target.',
    source: 'ours: a queue that grows for minutes would distort the curve for hours',
  },
  memory: {
    kind: 'number',
    default: 30,
    min: 2,
    text: 'Largest number of iterations that count in a slice.',
    source: 'ours: the averages of the paper never age',
  },
  fade: {
    kind: 'number',
    default: 0.002,
    min: 0,
    below: 1,
    text: 'Fraction of its weight that every slice loses in an iteration.',
    source: 'ours: half of the weight in six hours at 60 s; the averages of the paper never age',
  },
  headroom: {
    kind: 'number',
    default: 1.5,
    min: 1,
    text: 'Highest limit, as a multiple of the largest reliable rate.',
    source: 'ours: a curve learned at low load is flat, and its extension has no bound',
  },
  floor: {
    kind: 'number',
    default: 0.05,
    above: 0,
    max: 1,
    text: 'Lowest limit, as a fraction of the largest reliable rate. It keeps the route open when the target cannot be reached.',
    source: 'ours: instead of λ_SLA (§2), which the paper does not use',
  },
} as const satisfies OptionTable

export type SocOptions = OptionValues<typeof SOC_OPTIONS>
