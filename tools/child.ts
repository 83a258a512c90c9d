import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts a server process that ends when this process ends, for any reason: at its end, by a signal, and also when it is
 * killed without a chance to clean up.
 */
export function startProcess(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  exitOnSignals()
  const child = spawn(program, args, options)
  const guard = child.pid === undefined ? null : startGuard(child.pid)
  const kill = (): void => void child.kill()
  process.once('exit', kill)
  child.once('exit', () => {
    process.removeListener('exit', kill)
    guard?.kill('SIGKILL')
  })
  return child
}

/**
 * A shell that waits for the end of its standard input, which only this process holds. So it notices when this process is
 * gone, and ends the server.
 */
function startGuard(pid: number): ChildProcess | null {
  if (process.platform === 'win32') return null
  const script = `trap '' INT TERM HUP; read -r _; kill ${pid}; sleep 1; kill -9 ${pid}`
  const guard = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] })
  guard.on('error', () => {})
  guard.unref()
  const { stdin } = guard
  if (stdin && 'unref' in stdin) (stdin as unknown as { unref(): void }).unref()
  return guard
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
let isListening = false

/** Without a listener a signal ends this process at once, and no `exit` listener runs. */
function exitOnSignals(): void {
  if (isListening) return
  isListening = true
  for (const [signal, number] of Object.entries(SIGNALS)) {
    const listener = (): void => {
      // Another listener decides when this process ends.
      if (process.listenerCount(signal) === 1) process.exit(128 + number)
    }
    process.on(signal, listener)
  }
}

/** Calls back, once, when the process that started this one has ended. */
export function onParentEnd(callback: () => void, everyMs = 500): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, everyMs)
  timer.unref()
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
