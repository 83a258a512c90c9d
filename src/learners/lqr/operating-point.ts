import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'

/** θ: where the origin is to be held. Rates in the unit of the limit, goodput in requests/s. */
export interface LqrPoint {
  readonly rate: number
  readonly responseMs: number
  readonly goodput: number
}

/**
 * What was seen at rates that differ by less than a tenth. The paper finds its operating point by a sweep of
 * the load beforehand; here the points of that sweep are gathered in passing.
 */
export interface PowerSlice extends LqrPoint {
  /** The rate that the origin kept up with. */
  readonly keptUp: number
  /** Intervals, at most `MEMORY`: the means follow an origin that changes. */
  readonly intervals: number
  /** Of these, the part within the SLA. */
  readonly kept: number
  /** 1 when just seen; less for a slice that was passed over while the limit held visitors back. */
  readonly trust: number
}

export const arePowerSlices: StateSchema = list(
  object({
    rate: atLeastZero,
    responseMs: atLeastZero,
    goodput: atLeastZero,
    keptUp: atLeastZero,
    intervals: atLeastZero,
    kept: atLeastZero,
    trust: atLeastZero,
  }),
)

const WIDTH = Math.log(1.1)
const MEMORY = 10

export interface PowerObservation extends LqrPoint {
  readonly keptUp: number
  readonly keepsSla: boolean
  /** Did the limit hold somebody back? Without that, not to see a load again says nothing of the origin. */
  readonly binding: boolean
  readonly forget: number
}

export function learnPower(
  slices: readonly PowerSlice[],
  seen: PowerObservation,
): readonly PowerSlice[] {
  if (!(seen.rate > 0 && seen.goodput > 0 && seen.responseMs > 0)) return slices
  const { rate, responseMs, goodput, keptUp, binding, forget } = seen
  const fresh = {
    rate,
    responseMs,
    goodput,
    keptUp,
    intervals: 1,
    kept: seen.keepsSla ? 1 : 0,
    trust: 1,
  }
  const others = slices
    .filter((slice) => sliceOf(slice.rate) !== sliceOf(rate))
    .map((slice) => (binding ? { ...slice, trust: slice.trust * (1 - forget) } : slice))
  const same = slices.find((slice) => sliceOf(slice.rate) === sliceOf(rate))
  return [...others, same ? blend(same, fresh) : fresh].sort((a, b) => a.rate - b.rate)
}

function sliceOf(rate: number): number {
  return Math.floor(Math.log(rate) / WIDTH)
}

function blend(old: PowerSlice, fresh: PowerSlice): PowerSlice {
  const intervals = Math.min(old.intervals + fresh.intervals, MEMORY)
  const mix = (a: number, b: number) => a + (b - a) * (fresh.intervals / intervals)
  return {
    rate: mix(old.rate, fresh.rate),
    responseMs: mix(old.responseMs, fresh.responseMs),
    goodput: mix(old.goodput, fresh.goodput),
    keptUp: mix(old.keptUp, fresh.keptUp),
    intervals,
    kept: mix(old.kept, fresh.kept),
    trust: 1,
  }
}

/** Eq. 1 without the capacity and the service time that it divides by: in comparisons they cancel. */
export function powerOf({ goodput, responseMs, trust }: PowerSlice): number {
  return (trust * goodput) / responseMs
}

/** The paper's test-bed has its highest power near 10 requests/s and a capacity of 13 (Fig. 2). */
const BEST_PART = 10 / 13

export interface BestOperatingPoint {
  readonly point: LqrPoint
  /** Is it known what a little more load does? Before that, more may be better. */
  readonly bracketed: boolean
}

/** A slice keeps the SLA when this part of its intervals does. */
const KEPT = 0.8

/**
 * The slice of the highest power among those that kept the SLA; null: nothing was seen yet. A load beyond
 * `growth` times the best says nothing of what lies between: after a flood that gap is to be explored.
 */
export function bestOf(
  slices: readonly PowerSlice[],
  targetMs: number,
  growth: number,
): BestOperatingPoint | null {
  const within = slices.filter(({ kept }) => kept >= KEPT)
  const [first, ...rest] = within
  if (first === undefined) return guessInOverload(slices, targetMs)
  const best = rest.reduce((a, b) => (powerOf(b) > powerOf(a) ? b : a), first)
  const { rate, responseMs, goodput } = best
  const bracketed = slices.some((slice) => slice.rate > rate && slice.rate <= growth * rate)
  return { point: { rate, responseMs, goodput }, bracketed }
}

/**
 * A route whose life begins in overload: what it serves is its capacity, and the paper's part of that will do.
 * Half the target is a response time that anything within the SLA soon replaces.
 */
function guessInOverload(
  slices: readonly PowerSlice[],
  targetMs: number,
): BestOperatingPoint | null {
  const [first, ...rest] = slices
  if (first === undefined) return null
  const most = rest.reduce((a, b) => (b.goodput > a.goodput ? b : a), first)
  const rate = BEST_PART * most.keptUp
  if (rate === 0) return null
  const point = { rate, responseMs: targetMs / 2, goodput: BEST_PART * most.goodput }
  return { point, bracketed: true }
}

/** An announced change: all rates in proportion to ρ, response times at the same relative load unchanged. */
export function scalePower(slices: readonly PowerSlice[], ratio: number): readonly PowerSlice[] {
  return slices.map((slice) => ({
    ...slice,
    rate: slice.rate * ratio,
    goodput: slice.goodput * ratio,
    keptUp: slice.keptUp * ratio,
  }))
}
