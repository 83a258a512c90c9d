import { atLeastZero, number, object, type StateSchema } from '../../lib/state-schema.ts'

/** A stat pair (§5.1): the admitted rate of an iteration and the percentile of its response times. */
export interface StatPair {
  readonly rate: number
  readonly responseMs: number
}

/**
 * The summary of a slice (Bartolini et al. 2009, §5.1): means, spreads and number of the pairs that fell into it.
 * The pairs themselves are not stored.
 */
export interface Barycenter extends StatPair {
  /** k: number of the slice. */
  readonly slice: number
  /** N: number of pairs; older pairs count less. */
  readonly count: number
  /** Sums of squared deviations from the means. */
  readonly rateSquares: number
  readonly responseSquares: number
}

export const isBarycenter: StateSchema = object({
  slice: number,
  rate: atLeastZero,
  responseMs: atLeastZero,
  count: atLeastZero,
  rateSquares: atLeastZero,
  responseSquares: atLeastZero,
})

/** l_λ is a fraction of the rate, so slices fit a route of any size and ρ moves all of them alike. */
export function sliceOf(rate: number, scale: number, width: number): number {
  return Math.floor(Math.log(rate / scale) / Math.log1p(width))
}

/** The summary of the pairs of both (pooled variance of two samples). */
export function mergeBarycenters(a: Barycenter, b: Barycenter): Barycenter {
  const count = a.count + b.count
  const share = b.count / count
  const weight = (a.count * b.count) / count
  return {
    slice: a.slice,
    count,
    rate: a.rate + (b.rate - a.rate) * share,
    responseMs: a.responseMs + (b.responseMs - a.responseMs) * share,
    rateSquares: a.rateSquares + b.rateSquares + weight * (b.rate - a.rate) ** 2,
    responseSquares:
      a.responseSquares + b.responseSquares + weight * (b.responseMs - a.responseMs) ** 2,
  }
}

/** The same means and spreads with another number of pairs. */
export function withCount(barycenter: Barycenter, count: number): Barycenter {
  const fraction = count / barycenter.count
  return {
    ...barycenter,
    count,
    rateSquares: barycenter.rateSquares * fraction,
    responseSquares: barycenter.responseSquares * fraction,
  }
}

interface Aging {
  /** Largest number of pairs in a slice: newer pairs replace older ones. */
  readonly memory: number
  /** Fraction of its weight that every slice loses in an iteration. */
  readonly fade: number
}

/**
 * Adds a pair. The paper's averages never age, so a change would show only after as many iterations as came before
 * it. These averages forget.
 */
export function addPair(
  slices: readonly Barycenter[],
  pair: StatPair,
  slice: number,
  { memory, fade }: Aging,
): readonly Barycenter[] {
  const fresh = { slice, ...pair, count: 1, rateSquares: 0, responseSquares: 0 }
  const faded = slices.map((other) => withCount(other, other.count * (1 - fade)))
  const same = faded.find((other) => other.slice === slice)
  const others = faded.filter((other) => other.slice !== slice)
  if (same === undefined) return inOrder([...others, fresh])
  const old = withCount(same, Math.min(same.count, memory - 1))
  return inOrder([...others, mergeBarycenters(old, fresh)])
}

function inOrder(slices: readonly Barycenter[]): readonly Barycenter[] {
  return slices.toSorted((a, b) => a.slice - b.slice)
}

/** A single pair has no spread, so its standard error would be 0. It never counts as reliable. */
const SMALLEST_COUNT = 2
/** The count of two pairs after the older one has faded by half. */
const SMALLEST_FADED_COUNT = 1.5

/**
 * Is the standard error within t_err in both coordinates (§5.1)? Here t_err is a fraction of each coordinate. The
 * paper has one number for both sessions/s and seconds.
 */
export function isReliable(barycenter: Barycenter, tolerance: number): boolean {
  return (
    barycenter.count >= SMALLEST_FADED_COUNT &&
    barycenter.count >= neededCount(barycenter, tolerance)
  )
}

/** max{(σ_λ/t_err)², (σ_RT/t_err)²}: the smallest count at which the barycenter is reliable (§5.3). */
function neededCount(barycenter: Barycenter, tolerance: number): number {
  const { count, rate, responseMs, rateSquares, responseSquares } = barycenter
  const degrees = count - 1
  const relative = (squares: number, mean: number) =>
    squares === 0 ? 0 : squares / degrees / (tolerance * mean) ** 2
  return Math.max(relative(rateSquares, rate), relative(responseSquares, responseMs))
}

/**
 * §5.3: the slices for ρ times the capacity. Rates and their spread are multiplied by ρ, response times stay. The
 * count becomes the smallest one that is still reliable, so that new pairs soon confirm or replace it. Slice numbers
 * are relative to a scale that also moves by ρ, so they stay the same. Unreliable slices are dropped.
 */
export function scaleSlices(
  slices: readonly Barycenter[],
  ratio: number,
  tolerance: number,
): readonly Barycenter[] {
  return slices
    .filter((barycenter) => isReliable(barycenter, tolerance))
    .map((barycenter) => ({
      ...withSmallestReliableCount(barycenter, tolerance),
      rate: barycenter.rate * ratio,
    }))
    .map((barycenter) => ({ ...barycenter, rateSquares: barycenter.rateSquares * ratio ** 2 }))
}

/**
 * s₃ of §5.3: the smallest whole number of pairs, at least two, at which the barycenter is still reliable; the present
 * count where there is none. The spread stays the same, but that of fewer pairs is less certain: it is the result that
 * must be reliable.
 */
export function withSmallestReliableCount(barycenter: Barycenter, tolerance: number): Barycenter {
  for (let count = SMALLEST_COUNT; count < barycenter.count; count++) {
    const fewer = withCount(barycenter, count)
    if (isReliable(fewer, tolerance)) return fewer
  }
  return barycenter
}
