import { seeds } from '../engine/seeds.ts'
import type { ContestJob } from '../jobs/job.ts'
import { PEERS } from '../peers/index.ts'
import { CONTESTS } from './contests.ts'
import { CLAIRVOYANT, LEARNER_NAMES, PEER_NAMES, settingName } from './policies.ts'
import { type Line, meanOf } from './standing.ts'

export interface Schedule {
  /** Of the policies that are compared. */
  readonly seeds: number
  /** Of the settings from which each rival's best is chosen: the first ones of the same. */
  readonly trySeeds: number
}

export const FULL: Schedule = { seeds: 10, trySeeds: 3 }
export const QUICK: Schedule = { seeds: 3, trySeeds: 1 }

/** Whole rounds one after another: whoever stops it has fewer seeds, but of everything. */
function jobsOf(
  contests: readonly string[],
  policies: readonly string[],
  ofSeeds: readonly number[],
): readonly ContestJob[] {
  return ofSeeds.flatMap((seed) =>
    contests.flatMap((contest) =>
      policies.map((policy): ContestJob => ({ kind: 'contest', contest, policy, seed })),
    ),
  )
}

/** First everybody with their defaults, and the settings that are tried. */
export function firstJobs(schedule: Schedule): readonly ContestJob[] {
  const contests = CONTESTS.map(({ name }) => name)
  const everybody = [CLAIRVOYANT, ...LEARNER_NAMES, ...PEER_NAMES]
  const settings = Object.values(PEERS).flatMap((peer) =>
    peer.settings.slice(1).map(({ label }) => settingName(peer.name, label)),
  )
  return [
    ...jobsOf(contests, everybody, seeds(schedule.seeds)),
    ...jobsOf(contests, settings, seeds(schedule.trySeeds)),
  ]
}

/** A rival's best settings: one for all contests, and by hindsight one for each. */
export interface Best {
  readonly peer: string
  readonly forAll: string
  readonly forEach: ReadonlyMap<string, string>
}

/** By score, on the seeds that all settings have played. */
export function bestSettings(lines: readonly Line[], { trySeeds }: Schedule): readonly Best[] {
  return Object.values(PEERS).flatMap((peer) => {
    const names = peer.settings.map(({ label }, i) =>
      i === 0 ? peer.name : settingName(peer.name, label),
    )
    if (names.length === 1) return []
    const scores = new Map<string, Map<string, number>>()
    for (const line of lines) {
      if (!names.includes(line.policy)) continue
      const tried = { ...line, figures: line.figures.slice(0, trySeeds) }
      const contest = scores.get(line.contest) ?? new Map<string, number>()
      scores.set(line.contest, contest.set(line.policy, meanOf(tried, 'score')))
    }
    const sums = new Map(
      names.map((name) => [
        name,
        [...scores.values()].reduce((sum, contest) => sum + (contest.get(name) ?? 0), 0),
      ]),
    )
    const forEach = new Map([...scores].map(([contest, of]) => [contest, highest(of)]))
    return [{ peer: peer.name, forAll: highest(sums), forEach }]
  })
}

/** Then the rest of the seeds for the settings that were found best and have not played them all. */
export function secondJobs(best: readonly Best[], schedule: Schedule): readonly ContestJob[] {
  const rest = seeds(schedule.seeds).slice(schedule.trySeeds)
  const wanted = new Map<string, ContestJob>()
  for (const { forAll, forEach, peer } of best) {
    for (const [contest, hindsight] of forEach) {
      for (const policy of new Set([forAll, hindsight])) {
        if (policy === peer) continue // the defaults have played all seeds
        for (const job of jobsOf([contest], [policy], rest)) {
          wanted.set(`${job.seed} ${contest} ${policy}`, job)
        }
      }
    }
  }
  return [...wanted.values()].sort((a, b) => a.seed - b.seed)
}

/** The first of the highest. */
function highest(of: ReadonlyMap<string, number>): string {
  let best: readonly [string, number] = ['', Number.NEGATIVE_INFINITY]
  for (const entry of of) if (entry[1] > best[1]) best = entry
  return best[0]
}
