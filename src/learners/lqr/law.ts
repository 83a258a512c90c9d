import type { OptionTable, OptionValues } from '../../lib/option-table.ts'
import type { LqrPoint } from './operating-point.ts'
import { closedLoop, type LqrDesign, lqrGain, spectralRadius, type Vector2 } from './riccati.ts'

/** The controller of Mathur et al. 2009, §III: its parameters, its gain and its law. */
export const LQR_OPTIONS = {
  intervalMs: {
    kind: 'number',
    default: 10_000,
    above: 0,
    text: 'Time between two decisions, T_S; measurements are of the whole interval.',
    source: 'Mathur et al. 2009, §IV (TuningInterval)',
  },
  smoothResponse: {
    kind: 'number',
    default: 0.5,
    min: 0,
    below: 1,
    text: 'Weight of the old value in the filter of the response time, α₁.',
    source: 'Mathur et al. 2009, §IV',
  },
  smoothGoodput: {
    kind: 'number',
    default: 0.4,
    min: 0,
    below: 1,
    text: 'Weight of the old value in the filters of goodput and admitted rate, α₂.',
    source: 'Mathur et al. 2009, §IV',
  },
  weightResponse: {
    kind: 'number',
    default: 7,
    above: 0,
    text: 'Relative cost of a deviation in response time.',
    source: 'Mathur et al. 2009, §III-B (7 : 1 : 1)',
  },
  weightGoodput: {
    kind: 'number',
    default: 1,
    above: 0,
    text: 'Relative cost of a deviation in goodput.',
    source: 'Mathur et al. 2009, §III-B (7 : 1 : 1)',
  },
  weightRate: {
    kind: 'number',
    default: 1,
    above: 0,
    text: 'Relative cost of a deviation in the admitted rate.',
    source: 'Mathur et al. 2009, §III-B (7 : 1 : 1)',
  },
  rate: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Admitted rate at the operating point; 0 takes that of the highest power seen.',
    source: 'ours: the paper finds it by experiment (§III; 10 requests/s there)',
  },
  responseMs: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Mean response time at the operating point; 0 takes that of the highest power seen.',
    source: 'ours: the paper finds it by experiment (§III; 400 ms there)',
  },
  goodput: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Requests served per second at the operating point; 0 takes that of the highest power seen.',
    source: 'ours: the paper finds it by experiment (§III; 9.6 requests/s there)',
  },
  floor: {
    kind: 'number',
    default: 0.05,
    above: 0,
    max: 1,
    text: 'Lowest limit, as a part of the operating rate: a response time out of reach shuts nothing down.',
    source: 'Mathur et al. 2009, §III-A (50 of 1000 tokens/s)',
  },
  ceiling: {
    kind: 'number',
    default: 1.15,
    min: 1,
    text: 'Highest limit, as a part of the operating rate.',
    source: 'Mathur et al. 2009, §III-A (1150 of 1000 tokens/s)',
  },
  growth: {
    kind: 'number',
    default: 1.25,
    min: 1,
    text: 'Limit as a part of the best rate seen, while no load a little higher is known.',
    source: 'ours: the paper sweeps the load beforehand',
  },
  forget: {
    kind: 'number',
    default: 0.02,
    min: 0,
    below: 1,
    text: 'Part of the remembered power that is given up in each interval in which the limit binds.',
    source: 'ours: a capacity that is gone must not stay the goal',
  },
  memory: {
    kind: 'number',
    default: 0.98,
    above: 0,
    max: 1,
    text: 'Part of the old rows that the model keeps when a new row comes.',
    source: 'ours: the paper fits once, offline',
  },
  excitation: {
    kind: 'number',
    default: 0.03,
    above: 0,
    text: 'Variation of the admitted rate, as a part of it, below which nothing is fitted.',
    source: 'ours: fitting needs variation',
  },
  excite: {
    kind: 'boolean',
    default: false,
    text: 'Swing the limit over its whole range for three cycles to fit the model, for a canary.',
    source: 'Mathur et al. 2009, §III-A, off here: it slows every visitor down',
  },
  cycleMs: {
    kind: 'number',
    default: 3_000_000,
    above: 0,
    text: 'Length of one swing.',
    source: 'Mathur et al. 2009, §III-A (3000 s, for 9000 s)',
  },
} as const satisfies OptionTable

export type LqrOptions = OptionValues<typeof LQR_OPTIONS>

/**
 * The paper divides each cost by the square of the largest value in the operating range. Eq. 9 tells these
 * values (√(7/8.75e-6) = 894 ms, √(1/5e-3) = 14.1/s, √(1/7.69e-7) = 1140 tokens/s), and θ is (400 ms, 9.6/s,
 * 1000 tokens/s): as parts of θ they hold for any unit.
 */
const RANGE = {
  response: Math.sqrt(7 / 8.75e-6) / 400,
  goodput: Math.sqrt(1 / 5e-3) / 9.6,
  rate: Math.sqrt(1 / 7.69e-7) / 1000,
}

/** Eq. 7 in parts of θ: its inputs are tokens/s, its states ms and requests/s. */
export const BUILT_IN_MODEL: Pick<LqrDesign, 'a' | 'b'> = {
  a: [
    [0.69321, 0],
    [0, 0.32734],
  ],
  b: [(-0.0917293 * 1000) / 400, (0.0066773 * 1000) / 9.6],
}

/** The gain for a model in parts of θ; null when there is none or when its loop would not be stable. */
export function gainFor(model: Pick<LqrDesign, 'a' | 'b'>, o: LqrOptions): Vector2 | null {
  const gain = lqrGain({
    ...model,
    q: [o.weightResponse / RANGE.response ** 2, o.weightGoodput / RANGE.goodput ** 2],
    r: o.weightRate / RANGE.rate ** 2,
  })
  if (gain === null) return null
  return spectralRadius(closedLoop(model.a, model.b, gain)) < 1 ? gain : null
}

/** Eq. 6, u = −Kx, with u = (λ̄ − λ)/λ̄: the limit, between floor and ceiling. */
export function lqrLimit(
  gain: Vector2,
  { responseMs, goodput }: Pick<LqrPoint, 'responseMs' | 'goodput'>,
  point: LqrPoint,
  o: LqrOptions,
): number {
  const x1 = (responseMs - point.responseMs) / point.responseMs
  const x2 = (point.goodput - goodput) / point.goodput
  const part = 1 + gain[0] * x1 + gain[1] * x2
  return point.rate * Math.min(Math.max(part, o.floor), o.ceiling)
}
