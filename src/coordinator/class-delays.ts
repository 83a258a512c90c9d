import type { ServerLoad } from '../admission/batch/batch-test.ts'

/**
 * How long each class is held before it is judged (Cataclysm §3.4), so that a request is hardly
 * ever refused because a lesser one, which came just before, has taken its place:
 *
 *     Pr(A_i) ≈ p_drop (1−p_drop) Σ_{j>i} (1−e^{−λ_j d_j}) Π_{h<j} e^{−λ_h d_h} ·
 *                                         Σ_{l≥1} (1−F_j(l d_j/N))
 *
 * As it makes sense: the chance of an arriving request rather than of a processing instant, which
 * the paper's factor (1−e^{−λ_i d_i}) would make 0 at d = 0; for class 1 as well; at most 1. So it
 * falls with every delay, and goes to 0 with p_drop, so that nobody is held while there is room.
 */

export type ServiceLaw = 'exponential' | 'deterministic'

export interface DelayDemand {
  /** p_drop: the part of the judged that was refused lately. */
  readonly drop: number
  /** N: how many requests one server takes at a time. */
  readonly places: number
  /** Pr(A_i) is to stay below this. @default 0.05 */
  readonly epsilon?: number
  /**
   * k: a class is held this many times as long as the one before it. A whole number. @default 2
   * (§6.2)
   */
  readonly ratio?: number
  /** F. @default 'exponential' */
  readonly law?: ServiceLaw
  /** Most important first. */
  readonly classes: readonly DelayClass[]
}

export interface DelayClass {
  /** λ at one server, per second. */
  readonly arrivals: number
  /** Mean inherent service time. */
  readonly serviceMs: number
  /** No longer than this: see `longestHoldMs`. */
  readonly mostMs: number
}

export interface Delays {
  /** d_1 = 0, d_2 = d, d_{i+1} = k d_i. */
  readonly delaysMs: readonly number[]
  /** The largest Pr(A_i) with these delays. */
  readonly chance: number
}

/**
 * A delay at which a request still passes (4) alone: R_sla − Q − (η+1)S. Longer ones admit nobody.
 */
export function longestHoldMs(load: ServerLoad, serviceMs: number): number {
  const { targetMs, queueingMs, inFlight } = load
  return Math.max(0, targetMs - queueingMs - (inFlight + 1) * serviceMs) || 0
}

const STEPS = 256

/** The shortest delays above which the chance stays below ε, or the longest allowed if none do. */
export function classDelays(demand: DelayDemand): Delays {
  const { classes, epsilon = 0.05 } = demand
  const ratio = Math.max(1, Math.round(demand.ratio ?? 2))
  const delaysAt = (firstMs: number) =>
    classes.map((_, i) => (i === 0 ? 0 : firstMs * ratio ** (i - 1)))
  const chanceAt = (firstMs: number) => displacementChance(demand, delaysAt(firstMs), 0)
  const longest = classes.slice(1).map(({ mostMs }, i) => mostMs / ratio ** i)
  const capMs = Math.max(0, Math.min(...longest, Number.MAX_VALUE)) || 0

  // Downwards: as printed the chance rises from 0, peaks and falls, and a search from 0 ends at 0.
  let goodMs = capMs
  let badMs = 0
  if (!(chanceAt(capMs) < epsilon)) badMs = capMs
  else if (chanceAt(0) < epsilon) goodMs = 0
  else
    for (let step = STEPS - 1; step >= 0; step--) {
      badMs = (capMs * step) / STEPS
      if (!(chanceAt(badMs) < epsilon)) break
      goodMs = badMs
    }
  for (let halving = 0; halving < 30 && badMs < goodMs; halving++) {
    const middleMs = (goodMs + badMs) / 2
    if (chanceAt(middleMs) < epsilon) goodMs = middleMs
    else badMs = middleMs
  }
  return { delaysMs: delaysAt(goodMs), chance: chanceAt(goodMs) }
}

/** Pr(A_i): i counts from 0. Class 0 has most to fear: its sum runs over all others. */
export function displacementChance(
  { drop, places, law = 'exponential', classes }: DelayDemand,
  delaysMs: readonly number[],
  i: number,
): number {
  const dropped = drop > 0 && drop < 1 ? drop : 0
  let chance = 0
  let nobodyBetter = 1 // Π_{h<j} e^{−λ_h d_h}
  classes.forEach(({ arrivals, serviceMs }, j) => {
    const delayS = delaysMs[j]! / 1000
    if (j > i)
      chance += nobodyBetter * stillThere(arrivals, delayS, (places * serviceMs) / 1000, law)
    nobodyBetter *= Math.exp(-arrivals * delayS)
  })
  return Math.min(1, dropped * (1 - dropped) * chance)
}

/**
 * (1−e^{−λd}) Σ_{l≥1} (1−F(l d/N)): instants at which class j was let in, and is still there. An
 * admitted request takes N times its service time, `stayS`. For d → 0 both laws tend to λ N m.
 */
function stillThere(arrivals: number, delayS: number, stayS: number, law: ServiceLaw): number {
  if (!(stayS > 0)) return 0
  const part = delayS / stayS
  if (part < 1e-9) return arrivals * stayS
  const came = -Math.expm1(-arrivals * delayS)
  return law === 'exponential'
    ? came / Math.expm1(part)
    : came * Math.max(0, Math.ceil(1 / part) - 1)
}
