import type { OriginLoad } from '../protocol/plan.ts'

/**
 * How long the requests of each class wait before their batch is tested (Urgaonkar and Shenoy 2005, §3.4).
 * The wait keeps a request from being refused because a less important one came just before it:
 *
 *     Pr(A_i) ≈ p_drop (1−p_drop) Σ_{j>i} (1−e^{−λ_j d_j}) Π_{h<j} e^{−λ_h d_h} ·
 *                                         Σ_{l≥1} (1−F_j(l d_j/N)),  F exponential
 *
 * Two changes to the paper. This is the chance of an arriving request, not of a processing instant: the paper's
 * factor (1−e^{−λ_i d_i}) would make it 0 at d = 0. And it is at most 1, for the first class as well. So it falls
 * with every delay, and goes to 0 with p_drop: no class waits while the servers have room.
 */

/** ε: Pr(A_i) must stay below this. */
const EPSILON = 0.05
/** k: each class waits this many times as long as the class before it (§6.2). */
const RATIO = 2
/** No class waits longer than this part of the target, or than this time. */
const LARGEST_PART_OF_TARGET = 0.25
const LONGEST_MS = 1000
/** Steps of the search for the shortest delay. */
const STEPS = 256
const HALVINGS = 30

export interface DelayDemand {
  /** p_drop: the part of the tested requests that was refused lately. */
  readonly drop: number
  /** N: how many requests one server takes at a time. */
  readonly places: number
  /** Most important first. */
  readonly classes: readonly {
    /** λ at one server, per second. */
    readonly arrivals: number
    /** Mean inherent service time. */
    readonly serviceMs: number
    /** The class may not wait longer than this. */
    readonly mostMs: number
  }[]
}

interface RankedClass {
  readonly key: string
  /** Classes of the same rank are tested together and wait equally long. */
  readonly rank: number
  readonly arrivals: number
  readonly serviceMs: number
}

/** d_i by class key, from what the coordinator knows of classes and servers. */
export function delaysByClass(given: {
  readonly classes: readonly RankedClass[]
  readonly load: OriginLoad
  readonly targetMs: number
  /** p_drop. */
  readonly drop: number
}): ReadonlyMap<string, number> {
  const { load, targetMs, drop } = given
  const servers = Math.max(1, load.servers ?? 0)
  const mostMs = Math.min(LONGEST_MS, LARGEST_PART_OF_TARGET * targetMs)
  const ranks = byRank(given.classes)
  const delaysMs = classDelays({
    drop,
    places: Math.max(1, Math.floor(targetMs / load.serviceMs)),
    classes: ranks.map(({ arrivals, serviceMs }) => ({
      arrivals: arrivals / servers,
      serviceMs,
      mostMs: Math.min(mostMs, longestDelayMs(targetMs, load.queueingMs, serviceMs)),
    })),
  })
  return new Map(ranks.flatMap(({ keys }, i) => keys.map((key) => [key, delaysMs[i]!] as const)))
}

/**
 * R_sla − Q − S: with a longer delay a request fails the batch test (eq. 4) even at servers without other
 * requests. The requests in flight do not count here. A less important class would otherwise shorten its own
 * delay by filling the servers, and then fill them further.
 */
function longestDelayMs(targetMs: number, queueingMs: number, serviceMs: number): number {
  return Math.max(0, targetMs - queueingMs - serviceMs) || 0
}

/**
 * The shortest delays with which the chance stays below ε, or the longest allowed if there are none:
 * d_1 = 0, d_2 = d, d_{i+1} = k d_i.
 */
export function classDelays(demand: DelayDemand): readonly number[] {
  const { classes } = demand
  const delaysAt = (firstMs: number) =>
    classes.map((_, i) => (i === 0 ? 0 : firstMs * RATIO ** (i - 1)))
  const isEnough = (firstMs: number) => displacementChance(demand, delaysAt(firstMs), 0) < EPSILON
  const longest = classes.slice(1).map(({ mostMs }, i) => mostMs / RATIO ** i)
  const capMs = Math.max(0, Math.min(...longest, Number.MAX_VALUE)) || 0

  // Search downwards: as printed in the paper the chance rises from 0, peaks and falls, and a search from 0 ends at 0.
  let enoughMs = capMs
  let tooShortMs = 0
  if (!isEnough(capMs)) tooShortMs = capMs
  else if (isEnough(0)) enoughMs = 0
  else
    for (let step = STEPS - 1; step >= 0; step--) {
      tooShortMs = (capMs * step) / STEPS
      if (!isEnough(tooShortMs)) break
      enoughMs = tooShortMs
    }
  for (let i = 0; i < HALVINGS && tooShortMs < enoughMs; i++) {
    const middleMs = (enoughMs + tooShortMs) / 2
    if (isEnough(middleMs)) enoughMs = middleMs
    else tooShortMs = middleMs
  }
  return delaysAt(enoughMs)
}

/** Pr(A_i), where i counts from 0. It is largest for class 0, because its sum runs over all other classes. */
export function displacementChance(
  { drop, places, classes }: DelayDemand,
  delaysMs: readonly number[],
  i: number,
): number {
  const dropped = drop > 0 && drop < 1 ? drop : 0
  let chance = 0
  let noneBefore = 1 // Π_{h<j} e^{−λ_h d_h}
  classes.forEach(({ arrivals, serviceMs }, j) => {
    const delayS = delaysMs[j]! / 1000
    if (j > i) chance += noneBefore * stillThere(arrivals, delayS, (places * serviceMs) / 1000)
    noneBefore *= Math.exp(-arrivals * delayS)
  })
  return Math.min(1, dropped * (1 - dropped) * chance)
}

/**
 * (1−e^{−λd}) Σ_{l≥1} e^{−l d/(N m)}: class j was admitted at one of the last instants and is still there. An
 * admitted request stays N times its service time m, `stayS`. As d → 0 this tends to λ N m.
 */
function stillThere(arrivals: number, delayS: number, stayS: number): number {
  if (!(stayS > 0)) return 0
  const part = delayS / stayS
  if (part < 1e-9) return arrivals * stayS
  return -Math.expm1(-arrivals * delayS) / Math.expm1(part)
}

interface Rank {
  readonly keys: readonly string[]
  readonly arrivals: number
  readonly serviceMs: number
}

/** Most important first. */
function byRank(classes: readonly RankedClass[]): readonly Rank[] {
  const ranks = new Map<number, RankedClass[]>()
  for (const one of classes) ranks.set(one.rank, [...(ranks.get(one.rank) ?? []), one])
  return [...ranks.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, equal]) => {
      const arrivals = equal.reduce((sum, one) => sum + one.arrivals, 0)
      const work = equal.reduce((sum, one) => sum + one.arrivals * one.serviceMs, 0)
      const serviceMs = arrivals > 0 ? work / arrivals : equal[0]!.serviceMs
      return { keys: equal.map(({ key }) => key), arrivals, serviceMs }
    })
}
