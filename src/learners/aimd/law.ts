import type { Reason } from '../learner-interface.ts'
import type { AimdOptions } from './options.ts'

/** The control law of SEDA's response-time controller (Welsh and Culler 2003, §3.2). */
export type Pace = Extract<Reason, 'slow' | 'fast' | 'steady'>

/**
 * cur = α·cur + (1 − α)·samp. The first sample becomes the estimate. The released code starts at 0 instead, and
 * therefore reacts late.
 */
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

/** The rate after an increase by −(err − c_i)·adj_i, at most `headroom` times the offered rate. */
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
 * The rate to start from. The released code always starts at 10/s. The rate that the origin has just served is
 * better evidence: it gets the same headroom as any increase, or is cut at once if the origin was too slow.
 */
export function startRate(served: number, pace: Pace, o: AimdOptions): number {
  if (pace === 'slow') return decreased(Math.max(o.start, served), o)
  return inBounds(Math.max(o.start, o.headroom * served), o)
}

export function inBounds(rate: number, { min, max }: AimdOptions): number {
  return Math.min(Math.max(rate, min), max)
}
