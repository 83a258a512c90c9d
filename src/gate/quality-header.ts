import type { RequestQuality } from '../admission/route-quality.ts'
import type { QualityRules } from '../config/config.ts'

/** The quality of one answer, as the origin sees it. */
export interface AnswerQuality {
  /** 1: full quality. */
  readonly value: number
  /** Switches that are off. */
  readonly off: readonly string[]
  /** The part of the load that this quality saves, as measured. */
  readonly saved: number
  readonly isLowest: boolean
}

export const FULL_ANSWER: AnswerQuality = { value: 1, off: [], saved: 0, isLowest: false }

/** null: full quality. */
export function answerQuality(
  { min, steps, switches }: QualityRules,
  { step, of, saved }: RequestQuality,
): AnswerQuality | null {
  // A plan of another version may have another number of steps.
  const at = Math.min(steps, Math.round((step * steps) / of))
  if (at === 0) return null
  const value = Math.round((1 - (at * (1 - min)) / steps) * 1000) / 1000
  const off = switches.slice(0, Math.ceil((switches.length * at) / steps))
  return { value, off, saved, isLowest: at === steps }
}

/** `0.6;off="reviews recommendations";saved=0.31`, an item with parameters (RFC 9651). */
export function qualityHeader({ value, off, saved }: AnswerQuality): string {
  const named = off.length > 0 ? `;off="${off.join(' ')}"` : ''
  return `${value}${named};saved=${saved}`
}
