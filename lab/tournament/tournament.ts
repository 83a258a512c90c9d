import type { Measured } from '../gate/measures.ts'
import type { ContestJob } from '../jobs/job.ts'
import { CLAIRVOYANT, LEARNER_NAMES, PEER_NAMES } from './policies.ts'
import { type Best, bestSettings, firstJobs, type Schedule, secondJobs } from './schedule.ts'
import {
  type ContestLine,
  type Defeat,
  defeatsOf,
  linesOf,
  meanOf,
  type Result,
  type Standing,
  standingOf,
} from './standing.ts'

/** The product's default learner. */
export const OWN = 'soc-lqr'

/** One setting for all contests; with hindsight, the best for each. */
export const bestName = (peer: string): string => `${peer} (best)`
export const hindsightName = (peer: string): string => `${peer} (hindsight)`

type RunContests = (jobs: readonly ContestJob[]) => Promise<readonly (Measured | undefined)[]>

export interface TournamentResult {
  readonly seeds: number
  /** All requested runs have finished. */
  readonly complete: boolean
  /** By policy, then by contest. */
  readonly lines: readonly ContestLine[]
  readonly best: readonly Best[]
  readonly standings: Readonly<Record<string, Standing>>
  /** Rivals at their defaults that lead against the product's default learner in some contest. */
  readonly defeats: readonly Defeat[]
}

/** Runs the whole tournament: all policies, then the best settings of each rival. */
export async function tournament(schedule: Schedule, run: RunContests): Promise<TournamentResult> {
  const first = firstJobs(schedule)
  const played = resultsOf(first, await run(first))
  // If it was stopped before all settings were tried, there are no best ones.
  const best = played.length < first.length ? [] : bestSettings(linesOf(played), schedule)
  const second = secondJobs(best, schedule)
  const more = resultsOf(second, await run(second))
  const complete = played.length + more.length === first.length + second.length
  const lines = linesOf([...played, ...more])
  const chosen = best.map((one) => reconsidered(one, lines))
  const named = [...lines, ...chosen.flatMap((one) => bestLines(one, lines))]
  return {
    seeds: schedule.seeds,
    complete,
    lines: named,
    best: chosen,
    standings: standingsOf(named),
    defeats: defeatsOf(
      named.filter(({ policy }) => policy === OWN),
      named.filter(({ policy }) => PEER_NAMES.includes(policy)),
    ),
  }
}

function resultsOf(
  jobs: readonly ContestJob[],
  measured: readonly (Measured | undefined)[],
): readonly Result[] {
  return jobs.flatMap(({ contest, policy, seed }, i) =>
    measured[i] === undefined ? [] : [{ contest, policy, seed, measured: measured[i] }],
  )
}

/**
 * The best setting on a few seeds may be worse than the defaults on all seeds: then the defaults
 * are best.
 */
function reconsidered({ peer, forAll, forEach }: Best, lines: readonly ContestLine[]): Best {
  const score = (policy: string, contest?: string) =>
    lines
      .filter((line) => line.policy === policy && (contest ?? line.contest) === line.contest)
      .reduce((sum, line) => sum + meanOf(line, 'score'), 0)
  const better = (a: string, b: string, contest?: string) =>
    score(b, contest) > score(a, contest) ? b : a
  const all = better(forAll, peer)
  return {
    peer,
    forAll: all,
    forEach: new Map(
      [...forEach].map(([contest, own]) => [
        contest,
        better(own, better(all, peer, contest), contest),
      ]),
    ),
  }
}

function bestLines(
  { peer, forAll, forEach }: Best,
  lines: readonly ContestLine[],
): readonly ContestLine[] {
  return lines.flatMap((line) => [
    ...(line.policy === forAll ? [{ ...line, policy: bestName(peer) }] : []),
    ...(line.policy === forEach.get(line.contest)
      ? [{ ...line, policy: hindsightName(peer) }]
      : []),
  ])
}

/** Single settings are not listed. */
function standingsOf(lines: readonly ContestLine[]): Readonly<Record<string, Standing>> {
  const names = [
    CLAIRVOYANT,
    ...LEARNER_NAMES,
    ...PEER_NAMES,
    ...PEER_NAMES.flatMap((peer) => [bestName(peer), hindsightName(peer)]),
  ]
  const entries = names.flatMap((name): [string, Standing][] => {
    const own = lines.filter(({ policy }) => policy === name)
    return own.length > 0 ? [[name, standingOf(own)]] : []
  })
  return Object.fromEntries(entries.sort(([, a], [, b]) => b.meanScore - a.meanScore))
}
