import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import type { PolicyFactory } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { plantOfTrial, simulateTrial } from '../../../lab/trials/simulated-trial.ts'
import { distributionOf } from '../../../tools/origin/service-law.ts'
import { Station } from '../../../tools/origin/station.ts'
import { GROUPS } from '../../../tools/trial/cases.ts'
import { sessionsOf } from '../../../tools/trial/sessions.ts'
import { inSeconds, onsetS, type TrialCase } from '../../../tools/trial/trial-case.ts'
import { serve } from '../../support/origin-bench.ts'

const CASES = GROUPS[0]!.cases
const named = (name: string): TrialCase => CASES.find((trial) => trial.name === name)!

/** How often each visitor asks if nobody is let in. */
function asks(trial: TrialCase): readonly number[] {
  const times = new Map<number, number>()
  const count = (home: number) => void times.set(home, (times.get(home) ?? 0) + 1)
  const policy: PolicyFactory = () => ({
    admits(_klass, _nowMs, home) {
      count(home)
      return false
    },
    cameEarly: (_klass, _nowMs, home) => count(home),
  })
  runPlant({ plant: plantOfTrial(trial), policy, seed: 1, seconds: trial.seconds })
  return [...times.values()]
}

/** Of a slow leak and of pauses: more would take longer and show nothing else. */
const MOST_CHANGES = 6

/** Jobs at 1.2 times the capacity, until half a minute after the last change. */
function jobsFor({ origin }: TrialCase) {
  const changes = (origin.changes ?? []).slice(0, MOST_CHANGES)
  const untilMs = 1000 * (30 + (changes.at(-1)?.atS ?? 0))
  const [service, random] = [distributionOf(origin.service), streams(1)('jobs')]
  const gapMs = origin.service.meanMs / origin.servers / 1.2
  const count = Math.floor(untilMs / gapMs)
  const jobs = Array.from({ length: count }, (_, i) => ({
    atMs: i * gapMs,
    demandMs: service.draw(random),
  }))
  return { jobs, changes: changes.map(({ atS, ...change }) => ({ atMs: 1000 * atS, ...change })) }
}

describe('a trial in simulated time', () => {
  it.for(CASES)('$name: has the origin of the trial, job by job', (trial, { expect }) => {
    const { jobs, changes } = jobsFor(trial)
    const station = new Station<number>(trial.origin)
    const ends = jobs.map(() => Number.NaN)
    const events = [
      ...changes.map((change) => ({ ...change, job: -1, demandMs: 0 })),
      ...jobs.map(({ atMs, demandMs }, job) => ({ atMs, job, demandMs })),
    ].toSorted((a, b) => a.atMs - b.atMs)
    for (const { atMs, job, demandMs, ...change } of events) {
      if (job < 0) station.change(change, atMs)
      else if (!station.arrive(job, demandMs, atMs)) ends[job] = -1
    }
    for (const { tag, endedMs } of station.advance(1e9)) ends[tag] = endedMs
    const plant = plantOfTrial(trial)
    const simulated = serve(plant.origin, jobs, plant.changes!.slice(0, MOST_CHANGES)).map((end) =>
      end.startsWith('failed') ? -1 : Number(end.split(' ').at(-1)),
    )
    const isLosing = changes.some(({ servers }) => servers !== undefined)
    // Of servers that leave, those of the trial are the first that are done, and the lab's are chosen beforehand.
    const apartMs = isLosing ? 4 * trial.origin.service.meanMs : 0.01
    expect(Math.max(...ends.map((end, job) => Math.abs(end - simulated[job]!)))).toBeLessThan(
      apartMs,
    )
  })

  it.for(CASES)('$name: has as many visitors as the trial', (trial, { expect }) => {
    const short = inSeconds(trial, Math.min(60, trial.seconds))
    const expected = [...sessionsOf(short, 1)].length
    // Both are drawn: the variance of the difference is twice the mean.
    expect(Math.abs(asks(short).length - expected)).toBeLessThan(4 * Math.sqrt(2 * expected))
  })

  it('has visitors who come back as often as in the trial', ({ expect }) => {
    expect(Math.max(...asks(inSeconds(named('flash-5'), 45)))).toBe(1 + 3)
    expect(Math.max(...asks(inSeconds(named('retry-storm'), 45)))).toBe(1 + 10)
    expect(Math.max(...asks(inSeconds(named('flash-10'), 45)))).toBe(1)
  })

  it('is measured from ten seconds after the onset, against what the origin could have served', async ({
    expect,
  }) => {
    const { share, lateShare } = await simulateTrial(named('api'), 1)
    // The route is simple: the origin is never idle, and nearly nobody is late.
    expect(share).toBeGreaterThan(0.9)
    expect(share).toBeLessThan(1.05)
    expect(lateShare).toBeLessThan(0.05)
  })

  it('does not count what the first ten seconds of the surge have cost', async ({ expect }) => {
    const trial = { ...named('tight-target'), seconds: 60 }
    const changes = [
      { atS: onsetS(trial), speed: 0 },
      { atS: onsetS(trial) + 5, speed: 1 },
    ]
    const standing = { ...trial, origin: { ...trial.origin, changes } }
    expect((await simulateTrial(standing, 1)).lateShare).toBeLessThan(0.01)
  })
})
