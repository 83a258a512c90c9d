import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

/** A server of the benchmark in its own process. */
export interface Server {
  readonly url: string
  /** All its processes: their processor time is the cost of the requests. */
  readonly pids: readonly number[]
  close(): Promise<void>
}

/** What a program prints about itself, such as its version; null: it is not installed. */
export async function said(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  try {
    await once(child, 'close')
    return text
  } catch {
    return null
  }
}

/** Processor time of all threads since the start. */
export function cpuMs(pids: readonly number[]): number {
  let ns = 0
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) ns += threadNs(pid, thread)
  return ns / 1e6
}

/** The first number of `schedstat` is exact to the nanosecond; `stat` counts in steps of 10 ms. */
function threadNs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0 // The thread has just ended.
  }
}

export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid)
}

function parentOf(pid: number): number | null {
  try {
    // pid (name) state parent …: the name may contain spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}
