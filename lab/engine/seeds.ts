/** 1, 2, … n: runs are named by their seeds, and the first three of ten are those of three. */
export function seeds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}
