import { spawnSync } from 'node:child_process'

/** What is measured has its own core. Load, origin and this program share another one. */
export type Core = 'measured' | 'others'

const NUMBERS: Readonly<Record<Core, string>> = { measured: '0', others: '1' }

/** If this is not possible (one core, no Linux), the scheduler decides, and the intervals are wider. */
const CAN_PIN = Object.values(NUMBERS).every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Pins running processes, and the threads that they will start, to a core. */
export function keepOn(core: Core, pids: readonly number[]): void {
  if (!CAN_PIN) return
  for (const pid of pids) spawnSync('taskset', ['-acp', NUMBERS[core], String(pid)])
}

/** The command that runs another command on a core. */
export function on(core: Core, program: string, args: readonly string[]): [string, string[]] {
  return CAN_PIN ? ['taskset', ['-c', NUMBERS[core], program, ...args]] : [program, [...args]]
}
