import { type Interval, interval } from '../engine/statistics.ts'
import type { Measured } from '../gate/measures.ts'
import { FIGURES, type Figures, figuresOf } from './figures.ts'
import { CLAIRVOYANT } from './policies.ts'

/** One run of the tournament. */
export interface Result {
  readonly contest: string
  readonly policy: string
  readonly seed: number
  readonly measured: Measured
}

/** A policy on one contest: its figures by seed, in order. */
export interface ContestLine {
  readonly contest: string
  readonly policy: string
  readonly seeds: readonly number[]
  readonly figures: readonly Figures[]
}

/** The runs that have a clairvoyant to compare with, grouped by policy. */
export function linesOf(results: readonly Result[]): readonly ContestLine[] {
  const clairvoyants = new Map<string, Measured>()
  for (const { contest, policy, seed, measured } of results) {
    if (policy === CLAIRVOYANT) clairvoyants.set(`${contest} ${seed}`, measured)
  }
  const groups = new Map<string, Result[]>()
  for (const result of results) {
    if (!clairvoyants.has(`${result.contest} ${result.seed}`)) continue
    const key = `${result.contest} ${result.policy}`
    const group = groups.get(key)
    if (group) group.push(result)
    else groups.set(key, [result])
  }
  return [...groups.values()].map((group) => {
    const bySeed = group.toSorted((a, b) => a.seed - b.seed)
    const { contest, policy } = bySeed[0]!
    return {
      contest,
      policy,
      seeds: bySeed.map(({ seed }) => seed),
      figures: bySeed.map(({ seed, measured }) =>
        figuresOf(measured, clairvoyants.get(`${contest} ${seed}`)!),
      ),
    }
  })
}

/** Each figure with its 95 % interval. */
type Summary = Readonly<Record<keyof Figures, Interval>>

export function summaryOf({ figures }: ContestLine): Summary {
  return Object.fromEntries(
    FIGURES.map((name) => [name, interval(figures.map((each) => each[name]))]),
  ) as unknown as Summary
}

/** Share of the windows missed beyond the clairvoyant's own, over all seeds; at least 0. */
export function violationsOf({ figures }: ContestLine): number {
  const mean = (pick: (each: Figures) => number) =>
    figures.reduce((sum, each) => sum + pick(each), 0) / figures.length
  return Math.max(0, mean(({ missed }) => missed) - mean((each) => each.clairvoyantMissed))
}

export function meanOf(line: ContestLine, name: keyof Figures): number {
  return line.figures.reduce((sum, each) => sum + each[name], 0) / line.figures.length
}

/** Over all contests. */
export interface Standing {
  readonly meanShare: number
  readonly worstShare: number
  readonly worstContest: string
  readonly violations: number
  readonly meanScore: number
  readonly contests: number
}

export function standingOf(lines: readonly ContestLine[]): Standing {
  const mean = (pick: (line: ContestLine) => number) =>
    lines.reduce((sum, line) => sum + pick(line), 0) / lines.length
  const worst = lines.reduce((a, b) => (meanOf(b, 'share') < meanOf(a, 'share') ? b : a))
  return {
    meanShare: mean((line) => meanOf(line, 'share')),
    worstShare: meanOf(worst, 'share'),
    worstContest: worst.contest,
    violations: mean(violationsOf),
    meanScore: mean((line) => meanOf(line, 'score')),
    contests: lines.length,
  }
}

/** A contest in which a rival leads by more than the interval. */
export interface Defeat {
  readonly contest: string
  readonly by: string
  /** How much better its score is, paired by seed. */
  readonly lead: Interval
}

/** Contests in which `own` is behind a rival by score. */
export function defeatsOf(
  own: readonly ContestLine[],
  rivals: readonly ContestLine[],
): readonly Defeat[] {
  const defeats: Defeat[] = []
  for (const line of own) {
    for (const rival of rivals) {
      if (rival.contest !== line.contest) continue
      const leads = line.seeds.flatMap((seed, i) => {
        const at = rival.seeds.indexOf(seed)
        return at < 0 ? [] : [rival.figures[at]!.score - line.figures[i]!.score]
      })
      if (leads.length === 0) continue
      const lead = interval(leads)
      if (lead.low > 0) defeats.push({ contest: line.contest, by: rival.policy, lead })
    }
  }
  return defeats
}
