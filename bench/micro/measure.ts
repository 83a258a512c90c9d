import { Bench } from 'tinybench'
import { Repeater, type Task } from './task.ts'

export interface MicroFigure {
  readonly name: string
  /** Nanoseconds per call: the median of the samples and its quartiles. */
  readonly ns: number
  readonly low: number
  readonly high: number
}

export interface MicroTiming {
  /** The time of a sample: long enough for the clock to be exact within about a per cent. */
  readonly sampleMs: number
  readonly samples: number
}

/**
 * Times each task with tinybench. A clock cannot measure a call of a few nanoseconds, so each sample has as many calls
 * as fill its time.
 */
export async function measure(
  tasks: readonly Task[],
  { sampleMs, samples }: MicroTiming,
): Promise<readonly MicroFigure[]> {
  const figures: MicroFigure[] = []
  for (const task of tasks) {
    const repeater = new Repeater(task)
    const calls = callsWithin(repeater, sampleMs)
    const bench = new Bench({
      iterations: samples,
      time: 0,
      warmup: false,
      retainSamples: true,
      throws: true,
    })
    bench.add(task.name, () => void repeater.repeat(calls))
    const [done] = await bench.run()
    const result = done!.result
    if (!('latency' in result)) throw new Error(`${task.name} was not timed: ${result.state}`)
    const { samples: times = [] } = result.latency
    const quantile = (q: number): number =>
      (times.toSorted((a, b) => a - b)[Math.floor(q * (times.length - 1))]! * 1e6) / calls
    figures.push({ name: task.name, ns: quantile(0.5), low: quantile(0.25), high: quantile(0.75) })
  }
  return figures
}

/** After this time the code is compiled. */
const WARM_UP_MS = 100

/** The number of calls that take about this time once the code is warm. */
function callsWithin(repeater: Repeater, ms: number): number {
  let calls = 1
  let fastestMs = Number.POSITIVE_INFINITY
  const until = performance.now() + WARM_UP_MS
  while (performance.now() < until || !Number.isFinite(fastestMs)) {
    const tookMs = timeOf(repeater, calls)
    if (tookMs >= ms) fastestMs = Math.min(fastestMs, tookMs)
    else {
      calls *= 2
      fastestMs = Number.POSITIVE_INFINITY
    }
  }
  return Math.max(1, Math.round((calls * ms) / fastestMs))
}

function timeOf(repeater: Repeater, calls: number): number {
  const startedAt = performance.now()
  repeater.repeat(calls)
  return performance.now() - startedAt
}
