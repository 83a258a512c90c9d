import type { OptionTable, OptionValues } from '../../lib/option-table.ts'
import type { Reason } from '../learner.ts'

/** SEDA's response-time controller (Welsh and Culler 2003, §3.2 and §3.3): its parameters and its law. */
export const AIMD_OPTIONS = {
  percentile: {
    kind: 'number',
    default: 0,
    min: 0,
    below: 100,
    text: "Percentile of the response times that is held at the target; 0 takes the SLA's own.",
    source:
      "ours: the SLA's percentile is what was promised. Welsh and Culler 2003, §3.2 holds the 90th",
  },
  samples: {
    kind: 'number',
    default: 100,
    min: 1,
    text: 'Completions after which the controller runs, nreq.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  timeoutMs: {
    kind: 'number',
    default: 1000,
    above: 0,
    text: 'Time after which the controller runs on fewer completions, timeout.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  smoothing: {
    kind: 'number',
    default: 0.7,
    min: 0,
    below: 1,
    text: 'Weight of the old estimate in the moving average of the percentile, α.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  fastBelow: {
    kind: 'number',
    default: -0.5,
    min: -1,
    max: 0,
    text: 'Relative error below which the rate is increased, err_i.',
    source: 'Welsh and Culler 2003, Fig. 4 (printed as "%", meant as a fraction)',
  },
  slowAbove: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Relative error above which the rate is decreased, err_d.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  increase: {
    kind: 'number',
    default: 2,
    above: 0,
    text: 'Additive increase, adj_i: per second, or with `relative` in per cent of the rate.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  decrease: {
    kind: 'number',
    default: 1.2,
    above: 1,
    text: 'Divisor of the rate when too slow, adj_d.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  balance: {
    kind: 'number',
    default: -0.1,
    min: -1,
    max: 0,
    text: 'Relative error at which the increase would be zero, c_i.',
    source: 'Welsh and Culler 2003, Fig. 4 (printed as "%", meant as a fraction)',
  },
  min: {
    kind: 'number',
    default: 0.05,
    above: 0,
    text: 'Lowest rate, rate_min.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  max: {
    kind: 'number',
    default: 5000,
    above: 0,
    text: 'Highest rate, rate_max.',
    source: 'Welsh and Culler 2003, Fig. 4',
  },
  start: {
    kind: 'number',
    default: 10,
    above: 0,
    text: 'Lowest rate to start from; more where the first completions show that more is served.',
    source: "SEDA's released code; the paper prints none",
  },
  relative: {
    kind: 'boolean',
    default: true,
    text: 'Increase in per cent of the rate (of `start` below it): growth does not depend on the unit.',
    source: 'ours: sessions act late, and 2 more of them a second overshoot where 16 are the limit',
  },
  headroom: {
    kind: 'number',
    default: 2,
    min: 1,
    text: 'The rate is not increased beyond this many times the offered rate: nothing speaks for more.',
    source: 'ours: an idle hour would raise the rate to its maximum',
  },
  multiclass: {
    kind: 'boolean',
    default: false,
    text: 'Control each class by itself, lesser classes giving way first (§3.3).',
    source: 'ours: a single limit is shared out by value already',
  },
  decreaseLower: {
    kind: 'number',
    default: 10,
    above: 1,
    text: 'Divisor of the rates of all lesser classes when a class is too slow, adjlo_d (multiclass).',
    source: 'Welsh and Culler 2003, §3.3',
  },
  patience: {
    kind: 'number',
    default: 20,
    min: 0,
    text: 'Runs over the target, with all lesser classes at the minimum, before a class is cut itself, lc_thresh (multiclass).',
    source: 'Welsh and Culler 2003, §3.3',
  },
  cutAtOnce: {
    kind: 'boolean',
    default: false,
    text: 'Cut a slow class itself at once, together with the lesser ones (multiclass).',
    source: "the paper waits for lc_thresh; SEDA's released code does not",
  },
} as const satisfies OptionTable

export type Pace = Extract<Reason, 'slow' | 'fast' | 'steady'>

export type AimdOptions = OptionValues<typeof AIMD_OPTIONS>

/** cur = α·cur + (1 − α)·samp; the first sample starts it, where the released code starts at 0 and reacts late. */
export function smooth(
  current: number | null,
  sampleMs: number,
  { smoothing }: AimdOptions,
): number {
  return current === null ? sampleMs : smoothing * current + (1 - smoothing) * sampleMs
}

/** err = (cur − target) / target. */
export function relativeError(currentMs: number, targetMs: number): number {
  return (currentMs - targetMs) / targetMs
}

export function paceOf(error: number, o: AimdOptions): Pace {
  if (error > o.slowAbove) return 'slow'
  return error < o.fastBelow ? 'fast' : 'steady'
}

/** The rate after an increase by −(err − c_i)·adj_i, as far as the offered rate speaks for it. */
export function increased(rate: number, error: number, offered: number, o: AimdOptions): number {
  const unit = o.relative ? Math.max(rate, o.start) / 100 : 1
  const step = -(error - o.balance) * o.increase * unit
  const raised = Math.min(rate + Math.max(0, step), o.headroom * offered)
  return inBounds(Math.max(rate, raised), o)
}

/** The rate after a decrease: divided by adj_d, never below rate_min. */
export function decreased(rate: number, o: AimdOptions, divisor: number = o.decrease): number {
  return inBounds(rate / divisor, o)
}

/**
 * The rate to start from. The released code starts at 10/s whatever comes; what the origin has just served is
 * better evidence, with the same headroom as any increase, or cut at once where it was too slow.
 */
export function startRate(served: number, judged: Pace, o: AimdOptions): number {
  if (judged === 'slow') return decreased(Math.max(o.start, served), o)
  return inBounds(Math.max(o.start, o.headroom * served), o)
}

export function inBounds(rate: number, { min, max }: AimdOptions): number {
  return Math.min(Math.max(rate, min), max)
}
