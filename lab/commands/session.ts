import { ProgressPrinter } from '../../tools/progress-printer.ts'
import { stopwatch } from '../../tools/stopwatch.ts'
import type { Job, OutputOf } from '../jobs/job.ts'
import { progressLine } from '../jobs/progress.ts'
import { runAll } from '../jobs/run-all.ts'

/** By convention 128 + SIGINT. */
const INTERRUPTED = 130

/**
 * The runs of one command: on all cores, with a progress bar on stderr. The first Ctrl-C stops them
 * and keeps the results so far; the second ends the program.
 */
export class Session {
  readonly #abort = new AbortController()
  readonly #interrupt = () => {
    this.#abort.abort()
    process.exitCode = INTERRUPTED
    process.off('SIGINT', this.#interrupt)
  }

  readonly #workers: number | undefined

  /** `workers`: threads. @default as many as the machine has cores */
  constructor(workers?: number) {
    this.#workers = workers
    process.on('SIGINT', this.#interrupt)
  }

  get isStopped(): boolean {
    return this.#abort.signal.aborted
  }

  async run<Kind extends Job>(
    title: string,
    jobs: readonly Kind[],
  ): Promise<readonly (OutputOf<Kind> | undefined)[]> {
    const printer = new ProgressPrinter(process.stderr, progressLine)
    const elapsedMs = stopwatch()
    try {
      const progress = (done: number, of: number) =>
        printer.update({ title, done, of, elapsedMs: elapsedMs() })
      const workers = this.#workers === undefined ? {} : { workers: this.#workers }
      return await runAll(jobs, { ...workers, progress, signal: this.#abort.signal })
    } finally {
      printer.close()
    }
  }

  /** Work on this thread. No handler can run meanwhile, so Ctrl-C ends the program. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    process.off('SIGINT', this.#interrupt)
    try {
      return await work()
    } finally {
      process.on('SIGINT', this.#interrupt)
    }
  }

  close(): void {
    process.off('SIGINT', this.#interrupt)
  }
}

/** Reports a user's mistake: the text only, without a stack. */
export function fail(text: string): void {
  console.error(text)
  process.exitCode = 1
}
