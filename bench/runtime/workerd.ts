import { startWorkerd as start, type WorkerCode as Worker } from '../../tools/workerd/run.ts'
import type { Server } from './process.ts'

/**
 * A young generation of 1 MB instead of up to 16: garbage is collected about a hundred times a second, a little each
 * time. With the default, a collection takes up to 0.2 s every second or two and falls into one slice or another
 * (bench/NOTES.md).
 */
const V8_FLAGS = ['--max-semi-space-size=1']

export type WorkerOptions = Pick<Worker, 'texts' | 'objects'>

export type WorkerCode = Omit<Worker, 'name' | 'port'>

/** Runs one module in its own workerd. */
export async function startWorkerd(code: string, options: WorkerOptions = {}): Promise<Server> {
  const [server] = await startWorkers([{ code, ...options }])
  return server!
}

/** Runs modules side by side in one workerd, each on its own port. The storage on disk is deleted on close. */
export async function startWorkers(workers: readonly WorkerCode[]): Promise<readonly Server[]> {
  const named = workers.map((worker, number) => ({ name: `worker${number}`, ...worker }))
  // Connections break at the end of each slice, and workerd logs each of them.
  const { pid, urlOf, close } = await start(named, { v8Flags: V8_FLAGS })
  return named.map(({ name }) => ({ url: urlOf(name), pids: [pid], close }))
}
