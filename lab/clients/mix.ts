import type { Random } from '../engine/random.ts'

/**
 * Picks an index by its share of the whole; rounding errors go to the last one. A single choice
 * needs no draw.
 */
export function pick(parts: readonly number[], random: Random): number {
  if (parts.length === 1) return 0
  let rest = random.next()
  for (let i = 0; i < parts.length - 1; i++) {
    rest -= parts[i]!
    if (rest < 0) return i
  }
  return parts.length - 1
}
