import {
  atLeastZero,
  list,
  nullable,
  number,
  object,
  type StateSchema,
  text,
} from '../../lib/state-schema.ts'
import type { TierSample } from '../learner-interface.ts'
import {
  type ChangeWatch,
  isChangeWatch,
  NO_CHANGE,
  ratioFrom,
  watchChange,
} from './capacity-change.ts'
import { type Curve, curveOf, rateAt, responseAt } from './curve.ts'
import type { SocOptions } from './options.ts'
import {
  addPair,
  type Barycenter,
  isBarycenter,
  isReliable,
  type StatPair,
  scaleSlices,
  sliceOf,
  withSmallestReliableCount,
} from './slices.ts'

/** What SOC has learned of one tier (Bartolini et al. 2009, §5). */
export interface TierKnowledge {
  readonly name: string
  /** The SLA's percentile. A different percentile needs a new curve. */
  readonly percentile: number
  /** The lowest response-time percentile seen; null: none yet. */
  readonly benchMs: number | null
  /** Rate at which slice 0 begins; multiplied by ρ when the capacity changes. */
  readonly scale: number
  readonly slices: readonly Barycenter[]
  readonly watch: ChangeWatch
}

export const isTierKnowledge: StateSchema = object({
  name: text,
  percentile: number,
  benchMs: nullable(atLeastZero),
  scale: (value) => atLeastZero(value) && (value as number) > 0,
  slices: list(isBarycenter),
  watch: isChangeWatch,
})

export function emptyKnowledge({ name, percentile }: TierSample): TierKnowledge {
  return { name, percentile, benchMs: null, scale: 1, slices: [], watch: NO_CHANGE }
}

/** The lowest percentile seen rises by this fraction per iteration, because an origin may become slower for good. */
const BENCH_RISE = 0.01

/** Checks whether the origin has changed since the curve was learned, then adds the pair. */
export function learnPair(
  known: TierKnowledge,
  seen: StatPair,
  targetMs: number,
  o: SocOptions,
): { readonly tier: TierKnowledge; readonly changed: boolean } {
  // The length of a queue in overload shows how long the overload has lasted, not how large it is.
  const pair = { ...seen, responseMs: Math.min(seen.responseMs, o.worst * targetMs) }
  const { tier, changed, outlier } = findChange(known, pair, targetMs, o)
  if (outlier && !changed) return { tier, changed }
  const { benchMs, slices, scale } = tier
  return {
    changed,
    tier: {
      ...tier,
      benchMs: Math.min(pair.responseMs, (benchMs ?? Infinity) * (1 + BENCH_RISE)),
      slices: addPair(slices, pair, sliceOf(pair.rate, scale, o.slice), o),
    },
  }
}

interface CheckedTier {
  readonly tier: TierKnowledge
  readonly changed: boolean
  readonly outlier: boolean
}

/**
 * Looks for a change of capacity that nobody announced. On the rising part of the curve the pair shows how much
 * capacity there is now, and the slices are scaled as in §5.3. On the flat part it does not: there the slices only
 * get the smallest reliable count, so that new pairs soon replace them.
 */
function findChange(
  known: TierKnowledge,
  pair: StatPair,
  targetMs: number,
  o: SocOptions,
): CheckedTier {
  const largest = largestRate(known, o)
  const curve = curveOfTier(known, targetMs, o)
  const predictedMs = predictedMsAt(known, curve, pair.rate, o)
  if (largest === null || predictedMs === null)
    return { tier: known, changed: false, outlier: false }
  const { watch, found, outlier } = watchChange(known.watch, pair.responseMs, predictedMs)
  const watched = { ...known, watch }
  if (found === null) return { tier: watched, changed: false, outlier }
  const idleMs = curve[0]!.responseMs
  const steepMs = found === 'slower' ? pair.responseMs : predictedMs
  if (steepMs < (idleMs + targetMs) / 2) {
    const slices = known.slices.map((slice) => withSmallestReliableCount(slice, o.tolerance))
    return { tier: { ...watched, slices }, changed: true, outlier }
  }
  const equalRate = Math.min(rateAt(curve, pair.responseMs), o.headroom * largest)
  const ratio = ratioFrom(pair.rate, equalRate, found)
  return { tier: scaleTier(watched, ratio, o), changed: true, outlier }
}

/** Slices up to this far away are used for a prediction. */
const NEAR_SLICES = 2

/** The predicted response time at a rate; null without a reliable slice there, or near it on both sides. */
function predictedMsAt(
  known: TierKnowledge,
  curve: Curve,
  rate: number,
  o: SocOptions,
): number | null {
  const own = sliceOf(rate, known.scale, o.slice)
  const near = reliableOf(known, o).filter(({ slice }) => Math.abs(slice - own) <= NEAR_SLICES)
  const same = near.find(({ slice }) => slice === own)
  if (same) return same.responseMs
  const between = near.some(({ slice }) => slice < own) && near.some(({ slice }) => slice > own)
  return between ? responseAt(curve, rate) : null
}

/** A change of capacity by ρ (§5.3). */
export function scaleTier(known: TierKnowledge, ratio: number, o: SocOptions): TierKnowledge {
  return {
    ...known,
    scale: known.scale * ratio,
    slices: scaleSlices(known.slices, ratio, o.tolerance),
  }
}

/** RT_bench is a lower bound. For a route that has only seen overload, half the target serves as one. */
export function curveOfTier(known: TierKnowledge, targetMs: number, o: SocOptions): Curve {
  const learned = Math.min(known.benchMs ?? 0, targetMs / 2)
  return curveOf(o.benchMs > 0 ? o.benchMs : learned, reliableOf(known, o))
}

function reliableOf({ slices }: TierKnowledge, o: SocOptions): readonly Barycenter[] {
  return slices.filter((slice) => isReliable(slice, o.tolerance))
}

/** null: no slice is reliable. */
function largestRate(known: TierKnowledge, o: SocOptions): number | null {
  return reliableOf(known, o).at(-1)?.rate ?? null
}

interface TierLimit {
  readonly limit: number
  /** Does the limit lie beyond the largest reliable rate, where the curve is only extended? */
  readonly beyond: boolean
}

/** λ*_i = f̂_i⁻¹(RT_SLA), between the floor and the largest rate allowed; null: no slice is reliable. */
export function limitOfTier(
  known: TierKnowledge,
  targetMs: number,
  mayExtrapolate: boolean,
  o: SocOptions,
): TierLimit | null {
  const largest = largestRate(known, o)
  if (largest === null) return null
  const rate = rateAt(curveOfTier(known, targetMs, o), targetMs)
  const highest = mayExtrapolate ? o.headroom * largest : largest
  const limit = Math.min(Math.max(rate, o.floor * largest), highest)
  return { limit, beyond: limit > largest }
}
