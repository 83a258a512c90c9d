export interface Ratio {
  readonly value: number
  /** Ends of the 95 % interval. */
  readonly low: number
  readonly high: number
}

/** Two-sided 95 % of the normal distribution. */
const Z = 1.96

/**
 * The ratio of `of` to `to`, measured in pairs, one pair in each cycle: the Hodges-Lehmann estimate of the log-ratio,
 * with its interval by Wilcoxon's signed-rank test. It is as robust as a median against a cycle in which the machine
 * was busy, and needs no more cycles than a mean.
 */
export function pairedRatio(of: readonly number[], to: readonly number[]): Ratio {
  const logs = of.map((value, i) => Math.log(value / to[i]!))
  const averages = walshAverages(logs)
  const n = logs.length
  const reach = Z * Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24)
  const first = Math.max(0, Math.floor((n * (n + 1)) / 4 - reach))
  return {
    value: Math.exp(median(averages)),
    low: Math.exp(averages[first]!),
    high: Math.exp(averages[averages.length - 1 - first]!),
  }
}

/** The averages of all pairs, including each value with itself, in ascending order. */
function walshAverages(values: readonly number[]): Float64Array {
  const averages = new Float64Array((values.length * (values.length + 1)) / 2)
  let at = 0
  for (let i = 0; i < values.length; i++)
    for (let j = i; j < values.length; j++) averages[at++] = (values[i]! + values[j]!) / 2
  return averages.sort()
}

/** Of ascending values. */
function median(sorted: Float64Array): number {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const medianOf = (values: readonly number[]): number =>
  median(Float64Array.from(values).sort())
