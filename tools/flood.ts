import { writeFileSync } from 'node:fs'
import type { DemoStats } from './demo/shop.ts'
import { answers, drain, readStats } from './flood/demo-stats.ts'
import { type FloodOptions, helpText, loadProblem, readOptions } from './flood/options.ts'
import { pictureOf } from './flood/picture.ts'
import { progressLine } from './flood/progress.ts'
import type { RunName, RunReport } from './flood/report.ts'
import { runFlood } from './flood/run.ts'
import { renderRuns } from './flood/table.ts'
import { ProgressPrinter } from './progress-printer.ts'

/**
 * `npm run flood`: sends a flash crowd to a gate, or first to the demo origin and then to a gate.
 */

const DRAIN_WITHIN_MS = 15_000
const MOST_SOCKETS = 4000
const INTERRUPTED = 130

class FloodError extends Error {}

async function main(): Promise<void> {
  const request = readOptions(process.argv.slice(2))
  if (request.kind === 'help') {
    console.log(helpText())
    return
  }
  if (request.kind === 'problems') {
    const count = request.problems.length
    const problems = request.problems.map((problem) => `  ${problem}`).join('\n')
    throw new FloodError(`${count === 1 ? 'a problem' : `${count} problems`}:\n${problems}`)
  }
  const { options } = request
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const runs = await floodAll(options, interrupt.signal)
  console.log(options.json ? JSON.stringify({ runs }, null, 2) : `\n${renderRuns(runs)}`)
  if (options.picture !== null) writeFileSync(options.picture, pictureOf(runs, options.seconds))
  if (interrupt.signal.aborted) process.exitCode = INTERRUPTED
}

async function floodAll(options: FloodOptions, signal: AbortSignal): Promise<RunReport[]> {
  const { origin, target, surge } = options
  const stats = await readStats(origin)
  const capacityPerSecond = capacityOf(options, stats)
  // Without the demo shop, its pages are nowhere.
  const paths = options.paths ?? (stats === null ? ['/'] : null)
  const problem = loadProblem(capacityPerSecond, surge)
  if (problem !== null) throw new FloodError(problem)
  if (!(await answers(target)))
    throw new FloodError(
      `nothing answers at ${target}. Start it with \`npm start\` in another terminal`,
    )

  const printer = new ProgressPrinter(process.stderr, progressLine)
  const flood = async (name: RunName, address: string) => {
    const run = {
      ...options,
      name,
      target: address,
      capacityPerSecond,
      mostSockets: MOST_SOCKETS,
      paths,
    }
    const report = await runFlood(run, (progress) => printer.update(progress), signal)
    printer.close()
    return report
  }
  if (!options.compare) return [await flood(target === origin ? 'direct' : 'gate', target)]
  const direct = await flood('direct', origin)
  if (signal.aborted) return [direct]
  printer.say('Waiting until the origin has emptied its queue …')
  const drained = await drain(origin, DRAIN_WITHIN_MS, signal)
  if (drained.kind === 'restarted')
    printer.say(`Restarted it: ${drained.dropped} abandoned requests were still queued.`)
  return signal.aborted ? [direct] : [direct, await flood('gate', target)]
}

function capacityOf({ rate, origin, compare }: FloodOptions, stats: DemoStats | null): number {
  if (rate !== null && !compare) return rate
  if (stats !== null) return rate ?? stats.capacityPerSecond
  const remedy = compare ? '' : ', or give the capacity with --rate'
  throw new FloodError(
    `there is no demo origin at ${origin}. Start one with \`npm start\` in another terminal${remedy}`,
  )
}

try {
  await main()
} catch (error) {
  if (!(error instanceof FloodError)) throw error
  console.error(`Flood cannot start: ${error.message}`)
  process.exitCode = 1
}
