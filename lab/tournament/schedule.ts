import { seeds } from '../engine/seeds.ts'
import type { ContestJob } from '../jobs/job.ts'
import { PEERS } from '../peers/index.ts'
import { CONTESTS } from './contests.ts'
import { CLAIRVOYANT, LEARNER_NAMES, PEER_NAMES, settingName } from './policies.ts'
import { type ContestLine, meanOf } from './standing.ts'

export interface Schedule {
  /** Seeds of the compared policies. */
  readonly seeds: number
  /** Seeds for choosing each rival's best setting: the first ones of `seeds`. */
  readonly trySeeds: number
}

export const FULL: Schedule = { seeds: 10, trySeeds: 3 }
export const QUICK: Schedule = { seeds: 3, trySeeds: 1 }

/** Whole rounds one after another: an interrupted run has fewer seeds, but for all jobs. */
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

/** First all policies with their defaults, and the settings to try. */
export function firstJobs(schedule: Schedule): readonly ContestJob[] {
  const contests = CONTESTS.map(({ name }) => name)
  const policies = [CLAIRVOYANT, ...LEARNER_NAMES, ...PEER_NAMES]
  const settings = Object.values(PEERS).flatMap((peer) =>
    peer.settings.slice(1).map(({ label }) => settingName(peer.name, label)),
  )
  return [
    ...jobsOf(contests, policies, seeds(schedule.seeds)),
    ...jobsOf(contests, settings, seeds(schedule.trySeeds)),
  ]
}

/** A rival's best settings: one for all contests, and with hindsight one for each. */
export interface Best {
  readonly peer: string
  readonly forAll: string
  readonly forEach: ReadonlyMap<string, string>
}

/** By score, over the seeds that all settings have run. */
export function bestSettings(
  lines: readonly ContestLine[],
  { trySeeds }: Schedule,
): readonly Best[] {
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

/** Then the remaining seeds for the best settings that have not run them yet. */
export function secondJobs(best: readonly Best[], schedule: Schedule): readonly ContestJob[] {
  const rest = seeds(schedule.seeds).slice(schedule.trySeeds)
  const wanted = new Map<string, ContestJob>()
  for (const { forAll, forEach, peer } of best) {
    for (const [contest, hindsight] of forEach) {
      for (const policy of new Set([forAll, hindsight])) {
        if (policy === peer) continue // The defaults have run all seeds.
        for (const job of jobsOf([contest], [policy], rest)) {
          wanted.set(`${job.seed} ${contest} ${policy}`, job)
        }
      }
    }
  }
  return [...wanted.values()].sort((a, b) => a.seed - b.seed)
}

/** The first key with the highest value. */
function highest(of: ReadonlyMap<string, number>): string {
  let best: readonly [string, number] = ['', Number.NEGATIVE_INFINITY]
  for (const entry of of) if (entry[1] > best[1]) best = entry
  return best[0]
}
