import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Job, OutputOf } from './job.ts'
import { runJob } from './run-job.ts'

interface RunAllOptions {
  /** Threads; 0: run in this thread. @default the number of cores */
  readonly workers?: number
  /** Called after each job with the number done so far. */
  readonly progress?: (done: number, of: number) => void
  /** When it is aborted, the results so far are returned. */
  readonly signal?: AbortSignal
}

const WORKER = new URL('./worker.ts', import.meta.url)

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

interface Answer<Output> {
  readonly index: number
  readonly output?: Output
  readonly error?: Error
}

/** Runs one thread until no job is left or the run is aborted. */
function runThread<Kind extends Job>(
  jobs: readonly Kind[],
  take: () => number | undefined,
  finish: (index: number, output: OutputOf<Kind>) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const worker = new Worker(WORKER)
  return new Promise<void>((resolve, reject) => {
    const give = () => {
      const index = take()
      if (index === undefined) resolve()
      else worker.postMessage({ index, job: jobs[index] })
    }
    signal?.addEventListener('abort', () => resolve())
    worker.on('error', reject)
    worker.on('message', ({ index, output, error }: Answer<OutputOf<Kind>>) => {
      if (error !== undefined) {
        reject(new Error(`${JSON.stringify(jobs[index])}: ${error.message}`, { cause: error }))
        return
      }
      finish(index, output!)
      give()
    })
    give()
  }).finally(() => worker.terminate())
}
