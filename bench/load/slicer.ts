import { said } from '../runtime/process.ts'
import { autocannonSlices } from './autocannon.ts'
import type { Load, Slice } from './load.ts'
import { wrkSlices } from './wrk.ts'

export type Slicer = (url: string, ms: number) => Promise<Slice>

export type Loader = 'wrk' | 'autocannon'

/** wrk needs the least processor time; autocannon is a dependency of the project. */
export async function findLoader(): Promise<Loader> {
  return (await said('wrk', ['--version'])) === null ? 'autocannon' : 'wrk'
}

/** `script`: the file for the requests of wrk. */
export function slicer(loader: Loader, script: string, load: Load): Slicer {
  return loader === 'wrk' ? wrkSlices(script, load) : autocannonSlices(load)
}
