import { atLeastZero, number, object, type StateSchema } from '../../lib/state-schema.ts'

/** A stat pair (§5.1): the admitted rate of an iteration and the percentile of its response times. */
export interface StatPair {
  readonly rate: number
  readonly responseMs: number
}

/**
 * The summary of a slice's barycenter (Bartolini et al. 2009, §5.1): means, spreads and cardinality of the pairs
 * that fell into it. The pairs themselves are not kept.
 */
export interface Barycenter extends StatPair {
  /** k: which slice. */
  readonly slice: number
  /** N: how many pairs; less than that when they are old. */
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

/** l_λ as a part of the rate and not in sessions/s: slices fit a route of any size, and ρ moves all alike. */
export function sliceOf(rate: number, scale: number, width: number): number {
  return Math.floor(Math.log(rate / scale) / Math.log1p(width))
}

/** Two summaries as one, as if their pairs had come to one place (the pooled variance of two samples). */
export function mergeBarycenters(a: Barycenter, b: Barycenter): Barycenter {
  const count = a.count + b.count
  const share = b.count / count
  const apart = (a.count * b.count) / count
  return {
    slice: a.slice,
    count,
    rate: a.rate + (b.rate - a.rate) * share,
    responseMs: a.responseMs + (b.responseMs - a.responseMs) * share,
    rateSquares: a.rateSquares + b.rateSquares + apart * (b.rate - a.rate) ** 2,
    responseSquares:
      a.responseSquares + b.responseSquares + apart * (b.responseMs - a.responseMs) ** 2,
  }
}

/** The same means and spreads on fewer pairs. */
export function recount(barycenter: Barycenter, count: number): Barycenter {
  const part = count / barycenter.count
  return {
    ...barycenter,
    count,
    rateSquares: barycenter.rateSquares * part,
    responseSquares: barycenter.responseSquares * part,
  }
}

export interface Aging {
  /** Most pairs that a slice stands for: later ones push the older out. */
  readonly memory: number
  /** Part of its weight that every slice loses in an iteration. */
  readonly fade: number
}

/**
 * Adds a pair. The paper's averages never age, so that a change is believed only after as many iterations as
 * were seen before it; these forget.
 */
export function addPair(
  slices: readonly Barycenter[],
  pair: StatPair,
  slice: number,
  { memory, fade }: Aging,
): readonly Barycenter[] {
  const fresh = { slice, ...pair, count: 1, rateSquares: 0, responseSquares: 0 }
  const faded = slices.map((other) => recount(other, other.count * (1 - fade)))
  const same = faded.find((other) => other.slice === slice)
  const others = faded.filter((other) => other.slice !== slice)
  if (same === undefined) return inOrder([...others, fresh])
  const old = recount(same, Math.min(same.count, memory - 1))
  return inOrder([...others, mergeBarycenters(old, fresh)])
}

function inOrder(slices: readonly Barycenter[]): readonly Barycenter[] {
  return slices.toSorted((a, b) => a.slice - b.slice)
}

/** A single pair has no spread, so that its standard error would be 0: it never counts as reliable. */
const LEAST_PAIRS = 2
/** What two pairs still weigh when the older has faded by half. */
const FADED_PAIRS = 1.5

/**
 * Is the standard error within t_err in both coordinates (§5.1)? t_err is a part of the coordinate: the paper
 * has one number for sessions/s and for seconds.
 */
export function isReliable(barycenter: Barycenter, tolerance: number): boolean {
  return barycenter.count >= FADED_PAIRS && barycenter.count >= neededCount(barycenter, tolerance)
}

/** max{(σ_λ/t_err)², (σ_RT/t_err)²}: the cardinality at which the barycenter is just reliable (§5.3). */
function neededCount(barycenter: Barycenter, tolerance: number): number {
  const { count, rate, responseMs, rateSquares, responseSquares } = barycenter
  const degrees = count - 1
  const relative = (squares: number, mean: number) =>
    squares === 0 ? 0 : squares / degrees / (tolerance * mean) ** 2
  return Math.max(relative(rateSquares, rate), relative(responseSquares, responseMs))
}

/**
 * §5.3: what is known, for ρ times the capacity. Rates and their spread scale, response times stay, and the
 * cardinality becomes the least that is still reliable, so that new pairs soon confirm or refute it. Slices
 * are counted from a scale that moves along, so that none changes its place. What is not reliable is dropped.
 */
export function scaleSlices(
  slices: readonly Barycenter[],
  ratio: number,
  tolerance: number,
): readonly Barycenter[] {
  return slices
    .filter((barycenter) => isReliable(barycenter, tolerance))
    .map((barycenter) => ({
      ...weaken(barycenter, tolerance),
      rate: barycenter.rate * ratio,
    }))
    .map((barycenter) => ({ ...barycenter, rateSquares: barycenter.rateSquares * ratio ** 2 }))
}

/** s₃ of §5.3, as a whole number of pairs, two at the least and never more than there are. */
export function weaken(barycenter: Barycenter, tolerance: number): Barycenter {
  const needed = Math.max(LEAST_PAIRS, Math.ceil(neededCount(barycenter, tolerance)))
  return recount(barycenter, Math.min(needed, barycenter.count))
}
