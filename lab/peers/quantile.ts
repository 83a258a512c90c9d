/** The q-quantile of unsorted values, interpolated linearly. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('a quantile needs at least one value')
  const sorted = Float64Array.from(values).sort()
  const place = q * (sorted.length - 1)
  const below = Math.floor(place)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below]! + (place - below) * (sorted[above]! - sorted[below]!)
}
