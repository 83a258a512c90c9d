import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'

/** θ, an operating point. `rate` is in the unit of the limit, `goodput` in requests/s. */
export interface LqrPoint {
  readonly rate: number
  readonly responseMs: number
  readonly goodput: number
}

/**
 * The mean of intervals with rates that differ by less than 10 %. The paper finds its operating point by trying all
 * loads beforehand. This learner collects the same points from normal traffic.
 */
export interface PowerSlice extends LqrPoint {
  /** The rate that the origin kept up with. */
  readonly keptUp: number
  /** Number of intervals, at most `MEMORY`, so that the means follow an origin that changes. */
  readonly intervals: number
  /** The fraction of these intervals that were within the SLA. */
  readonly kept: number
  /** 1 when just seen. Falls with every interval in which the limit binds and another slice is seen. */
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

const SLICE_WIDTH = Math.log(1.1)
const MEMORY = 10

export interface PowerObservation extends LqrPoint {
  readonly keptUp: number
  readonly keepsSla: boolean
  /** Did the limit bind? If not, a load may be missing only because nobody offered it. */
  readonly binding: boolean
  readonly forget: number
}

export function recordPower(
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
  return Math.floor(Math.log(rate) / SLICE_WIDTH)
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

/** Eq. 1 without its divisors, capacity and service time: they cancel in comparisons. */
function powerOf({ goodput, responseMs, trust }: PowerSlice): number {
  return (trust * goodput) / responseMs
}

/** In the paper's test bed the power is highest near 10 requests/s, and the capacity is 13 (Fig. 2). */
const BEST_FRACTION = 10 / 13

export interface BestOperatingPoint {
  readonly point: LqrPoint
  /** Has a slightly higher load been seen? If not, a higher rate may be better. */
  readonly bracketed: boolean
}

/** A slice keeps the SLA if at least this fraction of its intervals does. */
const KEPT_FROM = 0.8

/**
 * The slice of highest power among those that keep the SLA; null: no data yet. A load above `growth` times the
 * best does not bracket it: after a flood, the loads in between are still to be tried.
 */
export function bestOperatingPoint(
  slices: readonly PowerSlice[],
  targetMs: number,
  growth: number,
): BestOperatingPoint | null {
  const keepingSla = slices.filter(({ kept }) => kept >= KEPT_FROM)
  const [first, ...rest] = keepingSla
  if (first === undefined) return guessInOverload(slices, targetMs)
  const best = rest.reduce((a, b) => (powerOf(b) > powerOf(a) ? b : a), first)
  const { rate, responseMs, goodput } = best
  const bracketed = slices.some((slice) => slice.rate > rate && slice.rate <= growth * rate)
  return { point: { rate, responseMs, goodput }, bracketed }
}

/**
 * For a route that has only seen overload. Its goodput is its capacity, and the rate is the paper's fraction of
 * that. The response time is half the target until an interval within the SLA replaces it.
 */
function guessInOverload(
  slices: readonly PowerSlice[],
  targetMs: number,
): BestOperatingPoint | null {
  const [first, ...rest] = slices
  if (first === undefined) return null
  const busiest = rest.reduce((a, b) => (b.goodput > a.goodput ? b : a), first)
  const rate = BEST_FRACTION * busiest.keptUp
  if (rate === 0) return null
  const point = { rate, responseMs: targetMs / 2, goodput: BEST_FRACTION * busiest.goodput }
  return { point, bracketed: true }
}

/** An announced change multiplies all rates by ρ. Response times at the same relative load stay the same. */
export function scalePower(slices: readonly PowerSlice[], ratio: number): readonly PowerSlice[] {
  return slices.map((slice) => ({
    ...slice,
    rate: slice.rate * ratio,
    goodput: slice.goodput * ratio,
    keptUp: slice.keptUp * ratio,
  }))
}
