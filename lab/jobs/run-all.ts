import { availableParallelism } from 'node:os'
import type { Job, OutputOf } from './job.ts'
import type { Constant } from './other-constant.ts'
import { runJob } from './run-job.ts'
import { Thread } from './thread.ts'

interface RunAllOptions {
  /** Threads; 0: run in this thread. @default the number of cores */
  readonly workers?: number
  /** Called after each job with the number done so far. */
  readonly progress?: (done: number, of: number) => void
  /** When it is aborted, the results so far are returned. */
  readonly signal?: AbortSignal
}

/**
 * Runs jobs on all cores. The outputs are in the order of the jobs; undefined for jobs that did not
 * run.
 */
export async function runAll<Kind extends Job>(
  jobs: readonly Kind[],
  { workers = availableParallelism(), progress, signal }: RunAllOptions = {},
): Promise<readonly (OutputOf<Kind> | undefined)[]> {
  const outputs = jobs.map((): OutputOf<Kind> | undefined => undefined)
  let done = 0
  const finish = (index: number, output: OutputOf<Kind>) => {
    outputs[index] = output
    progress?.(++done, jobs.length)
  }
  if (workers === 0) {
    for (const [index, job] of jobs.entries()) {
      if (signal?.aborted) break
      if (constantOf(job) !== null)
        throw new RangeError('Another constant of the learner needs a thread of its own')
      finish(index, (await runJob(job)) as OutputOf<Kind>)
    }
    return outputs
  }
  let next = 0
  const take = () => (signal?.aborted || next >= jobs.length ? undefined : next++)
  const threads = Array.from({ length: Math.min(workers, jobs.length) }, () =>
    runThread(jobs, take, finish, signal),
  )
  await Promise.all(threads)
  return outputs
}

/** What a job needs changed before the learner is loaded. */
const constantOf = (job: Job): Constant | null =>
  job.kind === 'world' ? (job.constant ?? null) : null

/** Runs one thread until no job is left or the run is aborted. */
async function runThread<Kind extends Job>(
  jobs: readonly Kind[],
  take: () => number | undefined,
  finish: (index: number, output: OutputOf<Kind>) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stopped = new Promise<null>((resolve) => {
    signal?.addEventListener('abort', () => resolve(null))
  })
  let thread: Thread | null = null
  try {
    for (let index = take(); index !== undefined; index = take()) {
      const job = jobs[index]!
      if (thread === null || !thread.fits(constantOf(job))) {
        await thread?.end()
        thread = new Thread(constantOf(job))
      }
      const output = await Promise.race([thread.run(job), stopped])
      if (output === null) return
      finish(index, output)
    }
  } finally {
    await thread?.end()
  }
}
