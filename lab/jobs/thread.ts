import { Worker } from 'node:worker_threads'
import type { Job, OutputOf } from './job.ts'
import type { Constant } from './other-constant.ts'

interface Answer<Output> {
  readonly output?: Output
  readonly error?: Error
}

const WORKER = new URL('./worker.ts', import.meta.url)

/** Runs jobs one by one. It has loaded the learner with one constant changed, or as it is. */
export class Thread {
  readonly #worker: Worker
  readonly #constant: Constant | null

  constructor(constant: Constant | null) {
    this.#constant = constant
    this.#worker = new Worker(WORKER, { workerData: constant })
  }

  fits(constant: Constant | null): boolean {
    return JSON.stringify(constant) === JSON.stringify(this.#constant)
  }

  async run<Kind extends Job>(job: Kind): Promise<OutputOf<Kind>> {
    const { output, error } = await new Promise<Answer<OutputOf<Kind>>>((resolve, reject) => {
      const over = (how: () => void) => {
        this.#worker.off('message', answered)
        this.#worker.off('error', failed)
        how()
      }
      const answered = (answer: Answer<OutputOf<Kind>>) => over(() => resolve(answer))
      const failed = (error: Error) => over(() => reject(error))
      this.#worker.on('message', answered)
      this.#worker.on('error', failed)
      this.#worker.postMessage(job)
    })
    if (error !== undefined) {
      throw new Error(`${JSON.stringify(job)}: ${error.message}`, { cause: error })
    }
    return output!
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
