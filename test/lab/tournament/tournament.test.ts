import { describe, it } from 'vitest'
import type { Measured } from '../../../lab/gate/measures.ts'
import type { ContestJob } from '../../../lab/jobs/job.ts'
import { PEERS } from '../../../lab/peers/index.ts'
import { CONTESTS } from '../../../lab/tournament/contests.ts'
import { goalResults, lossesOf } from '../../../lab/tournament/goals.ts'
import { outcomeJson } from '../../../lab/tournament/json.ts'
import { LEARNER_NAMES, PEER_NAMES, POLICY_NAMES } from '../../../lab/tournament/policies.ts'
import { FULL, firstJobs, QUICK } from '../../../lab/tournament/schedule.ts'
import { outcomeText } from '../../../lab/tournament/texts.ts'
import { bestName, hindsightName, tournament } from '../../../lab/tournament/tournament.ts'

/** Each policy gets a result by its name and scenario; the tournament only counts. */
function scripted(worth: (job: ContestJob) => number) {
  const played: ContestJob[] = []
  const run = async (jobs: readonly ContestJob[]) => {
    played.push(...jobs)
    return jobs.map(
      (job): Measured => ({
        seconds: 100,
        inSlaValue: job.policy === 'clairvoyant' ? 1000 : worth(job),
        served: 0,
        failed: 0,
        abandoned: 0,
        lateShare: 0,
        windows: 10,
        windowsMissed: 0,
        recoverySeconds: 0,
        offered: 100,
        refused: 0,
        refusedWithRoom: 0,
        early: 0,
        admittedVariation: 0,
        sessions: { completed: 0, abandoned: 0, broken: 0 },
      }),
    )
  }
  return { played, run }
}

const SETTING = PEERS['token-bucket']!.settings[2]!.label
const tuned = `token-bucket: ${SETTING}`

/** soc-lqr 0.97 but 0.8 in the first scenario; a tuned token bucket 0.9, all others 0.5. */
const worth = ({ policy, contest, seed }: ContestJob): number => {
  if (policy === 'soc-lqr') return contest === CONTESTS[0]!.name ? 800 + seed : 970
  if (policy === 'netflix-vegas' && contest === CONTESTS[0]!.name) return 850 + seed
  return policy === tuned ? 900 : 500
}

describe('the tournament', () => {
  it('runs all policies with all seeds, and each setting of the rivals with some seeds', ({
    expect,
  }) => {
    const jobs = firstJobs(FULL)
    const others = POLICY_NAMES.length - 1 - LEARNER_NAMES.length - PEER_NAMES.length
    const policies = 1 + LEARNER_NAMES.length + PEER_NAMES.length
    expect(jobs).toHaveLength(CONTESTS.length * (policies * 10 + others * 3))
    expect(new Set(jobs.map((job) => JSON.stringify(job))).size).toBe(jobs.length)
    expect(CONTESTS.length).toBeGreaterThanOrEqual(12)
  })

  it('then runs the best settings with the remaining seeds', async ({ expect }) => {
    const { played, run } = scripted(worth)
    const outcome = await tournament(QUICK, run)
    const seedsOf = (policy: string) =>
      played.filter((job) => job.policy === policy && job.contest === CONTESTS[1]!.name).length
    expect(seedsOf(tuned)).toBe(3)
    expect(seedsOf('soc-lqr')).toBe(3)
    expect(outcome.complete).toBe(true)
    expect(outcome.standings[bestName('token-bucket')]!.meanShare).toBeCloseTo(0.9, 12)
    expect(outcome.standings[hindsightName('token-bucket')]!.meanShare).toBeCloseTo(0.9, 12)
    expect(outcome.standings['token-bucket']!.meanShare).toBeCloseTo(0.5, 12)
  })

  it('takes the defaults as best if a setting was better on the first seeds only', async ({
    expect,
  }) => {
    const lucky = (job: ContestJob) => {
      if (job.policy === tuned) return job.seed === 1 ? 900 : 100
      return worth(job)
    }
    const outcome = await tournament(QUICK, scripted(lucky).run)
    expect(outcome.best.find(({ peer }) => peer === 'token-bucket')!.forAll).toBe('token-bucket')
    expect(outcome.standings[bestName('token-bucket')]!.meanShare).toBeCloseTo(0.5, 12)
  })

  it('says where the default learner falls short, and which policy leads there', async ({
    expect,
  }) => {
    const outcome = await tournament(QUICK, scripted(worth).run)
    const first = CONTESTS[0]!.name
    expect(outcome.defeats.map(({ contest, by }) => [contest, by])).toEqual([
      [first, 'netflix-vegas'],
    ])
    expect(lossesOf(outcome)).toEqual([
      `${first}: only 0.802 of the clairvoyant's value. netflix-vegas does better: 0.852, 0 % missed.`,
    ])
    expect(goalResults(outcome).map(({ met }) => met)).toEqual([true, false, true, false, true])
    expect(outcomeText(outcome)).toContain(`${first}: netflix-vegas leads by 0.050`)
  })

  it('prints meanShare, worstShare and violations of every policy as JSON', async ({ expect }) => {
    const outcome = await tournament(QUICK, scripted(worth).run)
    const json = JSON.parse(JSON.stringify(outcomeJson(outcome)))
    const sum = 0.802 + 0.97 * (CONTESTS.length - 1)
    expect(json.policies['soc-lqr'].meanShare).toBeCloseTo(sum / CONTESTS.length, 12)
    expect(json.policies['soc-lqr'].worstShare).toBeCloseTo(0.802, 12)
    expect(json.policies['soc-lqr'].violations).toBe(0)
    for (const name of [...LEARNER_NAMES, ...PEER_NAMES]) expect(json.policies).toHaveProperty(name)
    expect(Object.keys(json.scenarios)).toEqual(CONTESTS.map(({ name }) => name))
  })

  it('gives the results so far when it was stopped', async ({ expect }) => {
    const { run } = scripted(worth)
    let left = 300
    const outcome = await tournament(QUICK, async (jobs) => {
      const all = await run(jobs)
      return all.map((one) => (left-- > 0 ? one : undefined))
    })
    expect(outcome.complete).toBe(false)
    expect(outcome.standings['soc-lqr']!.contests).toBeGreaterThan(0)
    expect(outcomeText(outcome)).toContain('Stopped early')
  })
})
