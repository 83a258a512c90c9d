/** Mean and confidence interval over several seeds. */
export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** The mean with a confidence interval by Student's t. A single value has an infinite interval. */
export function interval(values: readonly number[], confidence = 0.95): Interval {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1)
  const half =
    count > 1
      ? studentQuantile((1 + confidence) / 2, count - 1) * Math.sqrt(variance / count)
      : Number.POSITIVE_INFINITY
  return { mean, low: mean - half, high: mean + half }
}

/**
 * Quantile of Student's t: exact for one and two degrees of freedom, otherwise an expansion around
 * the normal quantile in 1/ν (Abramowitz and Stegun 26.7.5). The error is 1 % at ν = 3 and far less
 * above.
 */
export function studentQuantile(probability: number, freedom: number): number {
  if (freedom === 1) return Math.tan(Math.PI * (probability - 0.5))
  if (freedom === 2) {
    return (2 * probability - 1) / Math.sqrt(2 * probability * (1 - probability))
  }
  const z = normalQuantile(probability)
  const g1 = (z ** 3 + z) / 4
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  const g4 = (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160
  return z + g1 / freedom + g2 / freedom ** 2 + g3 / freedom ** 3 + g4 / freedom ** 4
}

/** By bisection: speed does not matter, because it is called a few times per run. */
export function normalQuantile(probability: number): number {
  let low = -10
  let high = 10
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (normalBelow(middle) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Φ(z) by its series around 0, which converges for every z (Abramowitz and Stegun 26.2.11). */
function normalBelow(z: number): number {
  let term = z
  let sum = z
  for (let n = 3; Math.abs(term) > 1e-17 && n < 600; n += 2) {
    term *= (z * z) / n
    sum += term
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}
