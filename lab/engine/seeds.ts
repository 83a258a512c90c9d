/** 1, 2, … n. The seeds of a short run are the first seeds of a long one. */
export function seeds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}
