import { cpuMs } from '../runtime/process.ts'
import type { Slice } from './load.ts'

export interface Runner {
  readonly name: string
  readonly pids: readonly number[]
  readonly slice: (ms: number) => Promise<Slice>
  /** Throws if the slice shows that the variant did not do what it is measured for. */
  readonly check: (slice: Slice) => void
}

/** The figures of one variant, one of each for every cycle. */
export interface Series {
  readonly perSecond: number[]
  readonly cpuUs: number[]
}

export interface Timing {
  readonly cycles: number
  readonly sliceMs: number
  /** Not counted: the time in which the code is compiled. */
  readonly warmUpMs: number
}

/**
 * Loads the variants in turn, in short slices, and reverses the order in each cycle. What slows the machine down for
 * some time slows down all of them.
 */
export async function takeTurns(
  runners: readonly Runner[],
  { cycles, sliceMs, warmUpMs }: Timing,
  progress: (cycle: number) => void,
): Promise<ReadonlyMap<string, Series>> {
  for (const runner of runners) runner.check(await runner.slice(warmUpMs))
  const series = new Map(runners.map(({ name }) => [name, { perSecond: [], cpuUs: [] } as Series]))
  for (let cycle = 0; cycle < cycles; cycle++) {
    progress(cycle)
    for (const runner of inOrder(runners, cycle)) {
      const before = cpuMs(runner.pids)
      const slice = await sliceOf(runner, sliceMs)
      const spentMs = cpuMs(runner.pids) - before
      runner.check(slice)
      const { perSecond, cpuUs } = series.get(runner.name)!
      perSecond.push((slice.requests * 1000) / slice.ms)
      cpuUs.push((spentMs * 1000) / slice.requests)
    }
  }
  return series
}

/** Fewer requests are too few for a rate: a slow variant gets more than one slice. */
const LEAST_REQUESTS = 10
const MOST_SLICES = 20

async function sliceOf(runner: Runner, ms: number): Promise<Slice> {
  let sum = await runner.slice(ms)
  for (let i = 1; i < MOST_SLICES && sum.requests < LEAST_REQUESTS; i++)
    sum = addSlices(sum, await runner.slice(ms))
  return sum
}

function addSlices(a: Slice, b: Slice): Slice {
  return {
    requests: a.requests + b.requests,
    ms: a.ms + b.ms,
    unsuccessful: a.unsuccessful + b.unsuccessful,
    broken: a.broken + b.broken,
  }
}

export function inOrder<Item>(items: readonly Item[], cycle: number): readonly Item[] {
  return cycle % 2 === 0 ? items : items.toReversed()
}
