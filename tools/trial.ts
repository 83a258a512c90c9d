import { ProgressPrinter } from './progress-printer.ts'
import { readTrialOptions, trialHelp } from './trial/options.ts'
import { runTrial, type TrialProgress, type TrialResult } from './trial/run.ts'
import { listOfTrials, renderResults, trialLine } from './trial/table.ts'
import { inSeconds, SETTLE_S } from './trial/trial-case.ts'

/**
 * `npm run trial`: the gate in workerd between an origin process and a crowd, one case after the
 * other.
 */

const INTERRUPTED = 130

async function main(): Promise<void> {
  const request = readTrialOptions(process.argv.slice(2))
  if (request.kind === 'help') return console.log(trialHelp())
  if (request.kind === 'list') return console.log(listOfTrials())
  if (request.kind === 'problems') {
    console.error(request.problems.join('\n'))
    process.exitCode = 1
    return
  }
  const { cases, seconds, seed, json } = request.run
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupt.abort())
  const printer = new ProgressPrinter<TrialProgress>(process.stderr, trialLine)
  const results: TrialResult[] = []
  for (const trial of cases) {
    if (interrupt.signal.aborted) break
    const scaled = seconds === null ? trial : inSeconds(trial, seconds)
    const settleS = (SETTLE_S * scaled.seconds) / trial.seconds
    try {
      const update = (progress: TrialProgress) => printer.update(progress)
      results.push(await runTrial(scaled, { seed, settleS }, update, interrupt.signal))
    } catch (error) {
      // Ctrl-C in a terminal ends workerd, too, perhaps before it has started.
      if (!interrupt.signal.aborted) throw error
    }
    printer.close()
  }
  if (json) console.log(JSON.stringify({ results }, null, 2))
  else if (results.length > 0) console.log(`\n${renderResults(results)}`)
  if (interrupt.signal.aborted) process.exitCode = INTERRUPTED
}

await main()
