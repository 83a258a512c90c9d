import type { Random } from './random.ts'

/** A positive random quantity, in the unit of its mean. */
export interface Distribution {
  readonly mean: number
  /** Infinite if the second moment is infinite. */
  readonly variance: number
  draw(random: Random): number
}

export function exponential({ mean }: { mean: number }): Distribution {
  return { mean, variance: mean * mean, draw: (random) => -mean * Math.log(1 - random.next()) }
}

export function deterministic({ value }: { value: number }): Distribution {
  return { mean: value, variance: 0, draw: () => value }
}

export function uniform({ from, to }: { from: number; to: number }): Distribution {
  const width = to - from
  return {
    mean: (from + to) / 2,
    variance: (width * width) / 12,
    draw: (random) => from + width * random.next(),
  }
}

/** Nearly constant: uniform around the mean, plus or minus a share of it (0.1 for ±10 %). */
export function around({ mean, spread }: { mean: number; spread: number }): Distribution {
  return uniform({ from: mean * (1 - spread), to: mean * (1 + spread) })
}

/** Given by mean and coefficient of variation. */
export function logNormal({ mean, cv }: { mean: number; cv: number }): Distribution {
  const variance = Math.log(1 + cv * cv)
  const location = Math.log(mean) - variance / 2
  const scale = Math.sqrt(variance)
  return {
    mean,
    variance: cv * cv * mean * mean,
    draw(random) {
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()))
      return Math.exp(location + scale * radius * Math.cos(2 * Math.PI * random.next()))
    },
  }
}

/** Given by its mean. The shape is above 1; the variance is finite if it is above 2. */
export function pareto({ mean, shape }: { mean: number; shape: number }): Distribution {
  const least = (mean * (shape - 1)) / shape
  return {
    mean,
    variance: shape > 2 ? (mean * mean) / (shape * (shape - 2)) : Number.POSITIVE_INFINITY,
    draw: (random) => least * (1 - random.next()) ** (-1 / shape),
  }
}

/** Two exponential phases of equal load (balanced means); cv is at least 1. */
export function hyperexponential({ mean, cv }: { mean: number; cv: number }): Distribution {
  const square = cv * cv
  const often = (1 + Math.sqrt((square - 1) / (square + 1))) / 2
  const short = mean / (2 * often)
  const long = mean / (2 * (1 - often))
  return {
    mean,
    variance: square * mean * mean,
    draw(random) {
      const phaseMean = random.next() < often ? short : long
      return -phaseMean * Math.log(1 - random.next())
    },
  }
}

/** Draws from measured values, each with the same probability. */
export function fromData({ values }: { values: readonly number[] }): Distribution {
  if (values.length === 0) throw new RangeError('a distribution from data needs at least one value')
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    mean,
    variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length,
    draw: (random) => values[Math.floor(random.next() * values.length)]!,
  }
}
