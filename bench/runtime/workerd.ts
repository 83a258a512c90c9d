import { startWorkerd as start, type WorkerCode as Worker } from '../../tools/workerd/run.ts'
import type { Server } from './process.ts'

/**
 * A nursery of 1 MB instead of up to 16: garbage is collected some hundred times a second, a little each time. With
 * the runtime's own setting it takes up to a fifth of a second every second or two, which falls into one slice or
 * another, and what piles up meanwhile is memory that the first hundred thousand requests touch for the first time.
 */
const V8_FLAGS = ['--max-semi-space-size=1']

export type WorkerOptions = Pick<Worker, 'texts' | 'objects'>

export type WorkerCode = Omit<Worker, 'name' | 'port'>

/** Runs one module in a workerd of its own. */
export async function startWorkerd(code: string, options: WorkerOptions = {}): Promise<Server> {
  const [server] = await startWorkers([{ code, ...options }])
  return server!
}

/** Runs modules side by side in one workerd, each at its own port, with storage on disk that goes when they close. */
export async function startWorkers(workers: readonly WorkerCode[]): Promise<readonly Server[]> {
  const named = workers.map((worker, number) => ({ name: `worker${number}`, ...worker }))
  // What it says meanwhile, of connections that break off at the end of a slice, is news to nobody.
  const { pid, urlOf, close } = await start(named, { v8Flags: V8_FLAGS })
  return named.map(({ name }) => ({ url: urlOf(name), pids: [pid], close }))
}
