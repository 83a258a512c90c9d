import type { CapacityChange } from './origin.ts'

/** A change of the origin. An announced change reaches the learner with the next sample. */
export interface Change extends CapacityChange {
  readonly atMs: number
  readonly announced?: boolean
}

/** The origin stops for a while, as during garbage collection. */
export function pause(atMs: number, lengthMs: number): readonly Change[] {
  return [
    { atMs, speed: 0 },
    { atMs: atMs + lengthMs, speed: 1 },
  ]
}

/** Pauses at regular intervals. */
export function pauses(options: {
  readonly fromMs: number
  readonly toMs: number
  readonly everyMs: number
  readonly lengthMs: number
}): readonly Change[] {
  const list: Change[] = []
  for (let atMs = options.fromMs; atMs < options.toMs; atMs += options.everyMs) {
    list.push(...pause(atMs, options.lengthMs))
  }
  return list
}

/** A slow leak: the speed falls from 1 in small steps to a final value. */
export function leak(options: {
  readonly fromMs: number
  readonly toMs: number
  readonly left: number
  /** @default 10 s */
  readonly stepMs?: number
}): readonly Change[] {
  const { fromMs, toMs, left, stepMs = 10_000 } = options
  const steps = Math.max(1, Math.round((toMs - fromMs) / stepMs))
  return Array.from({ length: steps }, (_, i) => ({
    atMs: fromMs + ((i + 1) * (toMs - fromMs)) / steps,
    speed: 1 - ((1 - left) * (i + 1)) / steps,
  }))
}
