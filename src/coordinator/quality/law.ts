import { paceOf, relativeError, smooth } from '../../learners/aimd/law.ts'
import { AIMD_OPTIONS, type AimdOptions } from '../../learners/aimd/options.ts'
import { resolveOptions } from '../../lib/option-table.ts'

/** SEDA's constants (Welsh and Culler 2003, Fig. 4). */
const SEDA = resolveOptions(AIMD_OPTIONS, {}) as AimdOptions
/** "Increased slowly" (§4.5): this times the error, in each tick. From the lowest quality to full it takes about a minute. */
const INCREASE = 0.02

/** The continuous quality factor of SEDA, and the response time that moves it. */
export interface QualityFactor {
  readonly quality: number
  /** Smoothed; null: nothing was measured yet. */
  readonly currentMs: number | null
}

export const FULL_QUALITY: QualityFactor = { quality: 1, currentMs: null }

/**
 * SEDA's response-time controller, applied to quality instead of the rate (§3.4, §4.5): divide when the response time is
 * over the target, add slowly when it is far below. `measuredMs` null: nothing was answered, because nobody asked
 * (`isIdle`) or because answers take longer than a tick.
 */
export function qualityAfter(
  { quality, currentMs }: QualityFactor,
  measuredMs: number | null,
  targetMs: number,
  min: number,
  isIdle = true,
): QualityFactor {
  if (measuredMs === null)
    return isIdle
      ? { quality: Math.min(1, quality + INCREASE), currentMs: null }
      : { quality, currentMs }
  const smoothed = smooth(currentMs, measuredMs, SEDA)
  const error = relativeError(smoothed, targetMs)
  const pace = paceOf(error, SEDA)
  const moved =
    pace === 'slow'
      ? quality / SEDA.decrease
      : pace === 'fast'
        ? quality - (error - SEDA.balance) * INCREASE
        : quality
  return { quality: Math.min(1, Math.max(min, moved)), currentMs: smoothed }
}
