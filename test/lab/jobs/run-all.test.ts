import { describe, it } from 'vitest'
import type { ContestJob, ExperimentJob } from '../../../lab/jobs/job.ts'
import { runAll } from '../../../lab/jobs/run-all.ts'

const JOBS: readonly ContestJob[] = [1, 2, 3].flatMap((seed) =>
  ['clairvoyant', 'none'].map(
    (policy): ContestJob => ({ kind: 'contest', contest: 'api-steady', policy, seed }),
  ),
)

/** Each worker loads the whole lab first. */
const SLOW = { timeout: 60_000 }

describe('jobs on all cores', () => {
  it(
    'give the same results in the same order for any number of workers',
    SLOW,
    async ({ expect }) => {
      const alone = await runAll(JOBS, { workers: 0 })
      expect(await runAll(JOBS, { workers: 2 })).toEqual(alone)
      expect(await runAll(JOBS, { workers: 3 })).toEqual(alone)
      expect(new Set(alone.map((measured) => JSON.stringify(measured))).size).toBe(6)
    },
  )

  it('report their progress', async ({ expect }) => {
    const told: (readonly number[])[] = []
    const progress = (done: number, of: number) => told.push([done, of])
    await runAll(JOBS.slice(0, 2), { workers: 0, progress })
    expect(told).toEqual([
      [1, 2],
      [2, 2],
    ])
  })

  it('keep the results so far when they are stopped', SLOW, async ({ expect }) => {
    for (const workers of [0, 1]) {
      const abort = new AbortController()
      const progress = (done: number) => {
        if (done === 2) abort.abort()
      }
      const outputs = await runAll(JOBS, { workers, progress, signal: abort.signal })
      expect(outputs.map((output) => output !== undefined)).toEqual([
        true,
        true,
        ...JOBS.slice(2).map(() => false),
      ])
    }
  })

  it('name the job that failed', SLOW, async ({ expect }) => {
    const lost: ContestJob = { kind: 'contest', contest: 'lost', policy: 'none', seed: 1 }
    await expect(runAll([lost], { workers: 1 })).rejects.toThrow(
      '"contest":"lost","policy":"none","seed":1}: there is nothing called "lost"',
    )
  })

  it('run experiments too', async ({ expect }) => {
    const job: ExperimentJob = {
      kind: 'experiment',
      experiment: 'seda-10',
      point: {},
      policy: 'per stage',
      seed: 1,
      form: 'short',
    }
    const [found] = await runAll([job], { workers: 0 })
    expect(found!.values.p90Ms).toBeLessThan(1000)
  })
})
