import type { Random } from '../engine/random.ts'

/** One of several by its part of the whole; what rounding leaves goes to the last. No draw where there is no choice. */
export function pick(parts: readonly number[], random: Random): number {
  if (parts.length === 1) return 0
  let rest = random.next()
  for (let i = 0; i < parts.length - 1; i++) {
    rest -= parts[i]!
    if (rest < 0) return i
  }
  return parts.length - 1
}
