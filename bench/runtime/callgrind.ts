import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { said } from './process.ts'

/** What a processor did. */
export interface Work {
  readonly instructions: number
  /**
   * By KCachegrind's rule: one for an instruction, 10 for a miss in the first cache (32 KB), 100 for one in the last that is
   * modelled (512 KB, as a core has to itself).
   */
  readonly cycles: number
}

/** The words before a command that is to be counted; `file`: where the counts go. */
export const callgrind = (file: string): readonly string[] => [
  'valgrind',
  '--tool=callgrind',
  '--instr-atstart=no',
  '--cache-sim=yes',
  '--I1=32768,8,64',
  '--D1=32768,8,64',
  '--LL=524288,8,64',
  // V8 writes code while it runs.
  '--smc-check=all-non-file',
  `--callgrind-out-file=${file}`,
]

export const callgrindVersion = (): Promise<string | null> => said('valgrind', ['--version'])

/** What a process that runs under it does meanwhile. */
export async function workOf(
  pid: number,
  file: string,
  meanwhile: () => Promise<void>,
): Promise<Work> {
  const control = (...args: string[]): Promise<string | null> =>
    said('callgrind_control', [...args, String(pid)])
  await control('--instr=on')
  await control('--zero')
  await meanwhile()
  await control('--dump')
  await control('--instr=off')
  return readWork(readFileSync(newestOf(file), 'utf8'))
}

/** Each dump has the next number behind the file's name. */
function newestOf(file: string): string {
  const numbers = readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.`))
    .map((name) => Number(name.slice(basename(file).length + 1)))
  return join(dirname(file), `${basename(file)}.${Math.max(...numbers)}`)
}

/** `events:` names the columns of `totals:`. */
export function readWork(dump: string): Work {
  const words = (key: string): readonly string[] | undefined =>
    new RegExp(`^${key}: (.*)$`, 'm').exec(dump)?.[1]?.split(' ')
  const events = words('events')
  const totals = words('totals') ?? words('summary')
  if (!events || !totals) throw new Error('callgrind counted nothing that could be read')
  const sum = (...names: string[]): number =>
    names.reduce((total, name) => total + Number(totals[events.indexOf(name)] ?? 0), 0)
  const instructions = sum('Ir')
  const first = sum('I1mr', 'D1mr', 'D1mw')
  const last = sum('ILmr', 'DLmr', 'DLmw')
  return { instructions, cycles: instructions + 10 * first + 100 * last }
}
