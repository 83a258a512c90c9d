import { parentPort, workerData } from 'node:worker_threads'
import type { Job } from './job.ts'
import { type Constant, loadWithConstant } from './other-constant.ts'

// Before anything loads the learner.
if (workerData !== null) loadWithConstant(workerData as Constant)
const { runJob } = await import('./run-job.ts')

/** A thread that runs one job after another. */
parentPort!.on('message', (job: Job) => {
  runJob(job).then(
    (output) => parentPort!.postMessage({ output }),
    (error: unknown) => parentPort!.postMessage({ error }),
  )
})
