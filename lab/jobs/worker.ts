import { parentPort } from 'node:worker_threads'
import type { Job } from './job.ts'
import { runJob } from './run-job.ts'

/** A thread that runs one job after another. */
parentPort!.on('message', ({ index, job }: { index: number; job: Job }) => {
  runJob(job).then(
    (output) => parentPort!.postMessage({ index, output }),
    (error: unknown) => parentPort!.postMessage({ index, error }),
  )
})
