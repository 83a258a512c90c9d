import type { OriginLoad } from '../protocol/plan.ts'
import { classDelays, longestHoldMs } from './class-delays.ts'

/** A class is held at most for this part of the target, and never for longer than this. */
const LARGEST_PART = 0.25
const LONGEST_MS = 1000

export interface DelayedClass {
  readonly key: string
  /** Classes of one rank are judged together, and held alike. */
  readonly rank: number
  readonly arrivals: number
  readonly serviceMs: number
}

export interface DelayContext {
  readonly classes: readonly DelayedClass[]
  readonly load: OriginLoad
  readonly targetMs: number
  /** p_drop. */
  readonly drop: number
}

/** d_i of Cataclysm §3.4 by class key, from what the coordinator knows of classes and servers. */
export function delaysOf({
  classes,
  load,
  targetMs,
  drop,
}: DelayContext): ReadonlyMap<string, number> {
  const servers = Math.max(1, load.servers ?? 0)
  const { serviceMs, queueingMs } = load
  // What a lesser class has filled must not shorten its own hold, or it would go on filling.
  const empty = { queueingMs, inFlight: 0, servers, targetMs, longestMs: 0, rounding: 0 }
  const longestMs = Math.min(LONGEST_MS, LARGEST_PART * targetMs)
  const ranks = byRank(classes)
  const { delaysMs } = classDelays({
    drop,
    places: Math.max(1, Math.floor(targetMs / serviceMs)),
    classes: ranks.map((rank) => ({
      arrivals: rank.arrivals / servers,
      serviceMs: rank.serviceMs,
      mostMs: Math.min(longestMs, longestHoldMs(empty, rank.serviceMs)),
    })),
  })
  return new Map(ranks.flatMap(({ keys }, i) => keys.map((key) => [key, delaysMs[i]!] as const)))
}

interface Rank {
  readonly keys: readonly string[]
  readonly arrivals: number
  readonly serviceMs: number
}

/** Most important first. */
function byRank(classes: readonly DelayedClass[]): readonly Rank[] {
  const ranks = new Map<number, DelayedClass[]>()
  for (const one of classes) ranks.set(one.rank, [...(ranks.get(one.rank) ?? []), one])
  return [...ranks.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, tied]) => {
      const arrivals = tied.reduce((sum, one) => sum + one.arrivals, 0)
      const work = tied.reduce((sum, one) => sum + one.arrivals * one.serviceMs, 0)
      const serviceMs = arrivals > 0 ? work / arrivals : tied[0]!.serviceMs
      return { keys: tied.map(({ key }) => key), arrivals, serviceMs }
    })
}
