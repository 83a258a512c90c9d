import { spawnSync } from 'node:child_process'

/** What is measured has a core to itself; load, origin and this program share another. */
export type Core = 'measured' | 'others'

const NUMBERS: Readonly<Record<Core, string>> = { measured: '0', others: '1' }

/** Where it cannot be done (one core, no Linux), the scheduler decides, and the intervals are wider. */
const CAN_PIN = Object.values(NUMBERS).every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Keeps processes that are there, and the threads that they will start, on a core. */
export function keepOn(core: Core, pids: readonly number[]): void {
  if (!CAN_PIN) return
  for (const pid of pids) spawnSync('taskset', ['-acp', NUMBERS[core], String(pid)])
}

/** The words of a command that runs on a core. */
export function on(core: Core, program: string, args: readonly string[]): [string, string[]] {
  return CAN_PIN ? ['taskset', ['-c', NUMBERS[core], program, ...args]] : [program, [...args]]
}
