import {
  atLeastZero,
  list,
  nullable,
  number,
  object,
  type StateSchema,
  text,
} from '../../lib/state-schema.ts'
import type { TierSample } from '../learner.ts'
import {
  type ChangeWatch,
  isChangeWatch,
  QUIET,
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
  weaken,
} from './slices.ts'

/** All that is known of one tier (Bartolini et al. 2009, §5). */
export interface TierKnowledge {
  readonly name: string
  /** Of the SLA: another percentile is another curve. */
  readonly percentile: number
  /** The lowest percentile seen; null: none yet. */
  readonly benchMs: number | null
  /** Where slice 0 begins; moves with ρ. */
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

export function knowNothing({ name, percentile }: TierSample): TierKnowledge {
  return { name, percentile, benchMs: null, scale: 1, slices: [], watch: QUIET }
}

/** The lowest percentile seen rises by this part an iteration: an origin may become slower for good. */
const BENCH_CREEP = 0.01

/** Adds a pair, after a look at whether the origin is still the one that the curve describes. */
export function learnPair(
  known: TierKnowledge,
  seen: StatPair,
  targetMs: number,
  o: SocOptions,
): { readonly tier: TierKnowledge; readonly changed: boolean } {
  // How long a queue has grown in an overload tells how long the overload has lasted, not how large it is.
  const pair = { ...seen, responseMs: Math.min(seen.responseMs, o.worst * targetMs) }
  const { tier, changed, wild } = findChange(known, pair, targetMs, o)
  if (wild && !changed) return { tier, changed }
  const { benchMs, slices, scale } = tier
  return {
    changed,
    tier: {
      ...tier,
      benchMs: Math.min(pair.responseMs, (benchMs ?? Infinity) * (1 + BENCH_CREEP)),
      slices: addPair(slices, pair, sliceOf(pair.rate, scale, o.slice), o),
    },
  }
}

interface Checked {
  readonly tier: TierKnowledge
  readonly changed: boolean
  readonly wild: boolean
}

/**
 * A change that nobody announced. Where the pair lies on the rise of the curve it tells how much capacity
 * there is now, and what is known is scaled as in §5.3. On the flat part it does not: then what is known only
 * becomes easy to refute.
 */
function findChange(
  known: TierKnowledge,
  pair: StatPair,
  targetMs: number,
  o: SocOptions,
): Checked {
  const largest = largestRate(known, o)
  const curve = curveOfTier(known, targetMs, o)
  const foretoldMs = foretell(known, curve, pair.rate, o)
  if (largest === null || foretoldMs === null) return { tier: known, changed: false, wild: false }
  const { watch, found, wild } = watchChange(known.watch, pair.responseMs, foretoldMs)
  const watched = { ...known, watch }
  if (found === null) return { tier: watched, changed: false, wild }
  const idleMs = curve[0]!.responseMs
  const steepMs = found === 'slower' ? pair.responseMs : foretoldMs
  if (steepMs < (idleMs + targetMs) / 2) {
    const slices = known.slices.map((slice) => weaken(slice, o.tolerance))
    return { tier: { ...watched, slices }, changed: true, wild }
  }
  const equalRate = Math.min(rateAt(curve, pair.responseMs), o.headroom * largest)
  const ratio = ratioFrom(pair.rate, equalRate, found)
  return { tier: scaleTier(watched, ratio, o), changed: true, wild }
}

/** Slices this near tell what to expect. */
const NEAR = 2

/** The response time to expect at a rate; null where nothing is known of it, nor a little below and above. */
function foretell(known: TierKnowledge, curve: Curve, rate: number, o: SocOptions): number | null {
  const own = sliceOf(rate, known.scale, o.slice)
  const near = reliableOf(known, o).filter(({ slice }) => Math.abs(slice - own) <= NEAR)
  const same = near.find(({ slice }) => slice === own)
  if (same) return same.responseMs
  const between = near.some(({ slice }) => slice < own) && near.some(({ slice }) => slice > own)
  return between ? responseAt(curve, rate) : null
}

/** §5.3 */
export function scaleTier(known: TierKnowledge, ratio: number, o: SocOptions): TierKnowledge {
  return {
    ...known,
    scale: known.scale * ratio,
    slices: scaleSlices(known.slices, ratio, o.tolerance),
  }
}

/** RT_bench is a lower bound: where life began in overload, half the target is one. */
export function curveOfTier(known: TierKnowledge, targetMs: number, o: SocOptions): Curve {
  const learned = Math.min(known.benchMs ?? 0, targetMs / 2)
  return curveOf(o.benchMs > 0 ? o.benchMs : learned, reliableOf(known, o))
}

function reliableOf({ slices }: TierKnowledge, o: SocOptions): readonly Barycenter[] {
  return slices.filter((slice) => isReliable(slice, o.tolerance))
}

/** null: nothing is known reliably. */
export function largestRate(known: TierKnowledge, o: SocOptions): number | null {
  return reliableOf(known, o).at(-1)?.rate ?? null
}

export interface TierLimit {
  readonly limit: number
  /** Does the limit lie beyond what was seen, where the curve only guesses? */
  readonly beyond: boolean
}

/** λ*_i = f̂_i⁻¹(RT_SLA), between the floor and what may be extrapolated; null: nothing is known reliably. */
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
