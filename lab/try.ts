/**
 * Tries a learner on the scenarios:
 *   node lab/try.ts --learner soc-lqr --scenario s-steady,s-loss --seeds 3 [--trace] [--options '{"phi":0.2}'] [--edge 3x5]
 * `--edge COLOSxISOLATES` puts the product's own edge and coordinator between learner and visitors.
 */
import { parseArgs } from 'node:util'
import { createLearner } from '../src/learners/registry.ts'
import { quantileMs } from '../src/lib/histogram.ts'
import { exponential } from './engine/distributions.ts'
import { type Compared, compare, compareEdge } from './gate/compare.ts'
import { letAllIn } from './gate/policy.ts'
import type { RunResult } from './gate/run-plant.ts'
import { SCENARIOS, type Scenario } from './gate/scenarios.ts'

const { values } = parseArgs({
  options: {
    learner: { type: 'string', default: 'soc-lqr' },
    scenario: { type: 'string', default: 'all' },
    seeds: { type: 'string', default: '3' },
    first: { type: 'string', default: '1' },
    options: { type: 'string', default: '{}' },
    trace: { type: 'boolean', default: false },
    edge: { type: 'string' },
  },
})

/** Distances of a real network. */
const WAYS = {
  toRelay: { delay: exponential({ mean: 5 }) },
  toCoordinator: { delay: exponential({ mean: 40 }) },
}

const chosen = SCENARIOS.filter(({ name }) => matches(name, values.scenario))
if (chosen.length === 0) {
  console.error(`no such scenario: ${values.scenario}. There are:`)
  for (const { name } of SCENARIOS) console.error(`  ${name}`)
  process.exit(1)
}

console.log(
  'scenario            share  (worst)  missed  clairv.  abandoned  clairv.  refused  in vain  recovery  clairv.     s',
)
for (const scenario of chosen) await tryOn(scenario)

function matches(name: string, wanted: string): boolean {
  return wanted === 'all' || wanted.split(',').some((part) => name.startsWith(part))
}

async function tryOn(scenario: Scenario): Promise<void> {
  const started = performance.now()
  const first = Number(values.first)
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => first + i)
  const runs: Compared[] = []
  for (const seed of seeds) runs.push(await trySeed(scenario, seed))
  const seconds = (performance.now() - started) / 1000
  const shares = runs.map(({ share }) => share)
  const mine = runs.map(({ run }) => run)
  const theirs = runs.map(({ clairvoyant }) => clairvoyant)
  console.log(
    scenario.name.padEnd(18),
    mean(shares).toFixed(3).padStart(6),
    Math.min(...shares)
      .toFixed(3)
      .padStart(8),
    missed(mine).padStart(7),
    missed(theirs).padStart(8),
    abandoned(mine).padStart(10),
    abandoned(theirs).padStart(8),
    percent(mean(mine.map((run) => run.refused / run.offered))).padStart(8),
    percent(mean(mine.map((run) => run.refusedWithRoom / run.offered))).padStart(8),
    `${mean(mine.map((run) => run.recoverySeconds)).toFixed(0)} s`.padStart(9),
    `${mean(theirs.map((run) => run.recoverySeconds)).toFixed(0)} s`.padStart(8),
    seconds.toFixed(1).padStart(5),
  )
  if (values.trace) printTrace(runs[0]!.run)
}

/** By name from the product's registry; with `--edge` behind the product's own edge. */
function trySeed(scenario: Scenario, seed: number): Compared | Promise<Compared> {
  const name = values.learner
  if (name === 'none') return compare(scenario, { policy: letAllIn }, seed)
  const choice = { name, options: JSON.parse(values.options) as Record<string, unknown> }
  if (values.edge === undefined) {
    return compare(scenario, { learner: () => createLearner(choice).learner }, seed)
  }
  const [colos, isolates] = values.edge.split('x').map(Number)
  const edge = { learner: choice, colos: colos ?? 1, isolates: isolates ?? 1, skew: 1, ...WAYS }
  return compareEdge(scenario, edge, seed)
}

function printTrace({ trace }: RunResult): void {
  console.log('     s  offered admitted   limit active in service  load/s good/s   p95 ms')
  for (let i = 9; i < trace.length; i += 10) {
    const ticks = trace.slice(i - 9, i + 1)
    const last = ticks.at(-1)!
    const unit = last.sample.granularity === 'session' ? 'sessions' : 'requests'
    const p95s = ticks.map(({ sample }) => quantileMs(sample.tiers[0]!.latency, 0.95) ?? 0)
    console.log(
      String(last.atMs / 1000).padStart(6),
      mean(ticks.map(({ sample }) => sample.offered[unit]))
        .toFixed(2)
        .padStart(8),
      mean(ticks.map(({ sample }) => sample.admitted[unit]))
        .toFixed(2)
        .padStart(8),
      last.limit.toFixed(2).padStart(8),
      String(last.activeSessions).padStart(6),
      String(last.sample.inFlight).padStart(10),
      mean(ticks.map(({ sample }) => sample.admitted.requests))
        .toFixed(1)
        .padStart(7),
      mean(ticks.map(({ sample }) => sample.goodput))
        .toFixed(1)
        .padStart(6),
      Math.max(...p95s)
        .toFixed(0)
        .padStart(8),
    )
  }
}

function missed(runs: readonly RunResult[]): string {
  const sum = (pick: (run: RunResult) => number) =>
    runs.reduce((total, run) => total + pick(run), 0)
  return `${sum((run) => run.windowsMissed)}/${sum((run) => run.windows)}`
}

function abandoned(runs: readonly RunResult[]): string {
  const shares = runs.map(({ sessions: { completed, abandoned: gone, broken } }) => {
    const all = completed + gone + broken
    return all === 0 ? 0 : (gone + broken) / all
  })
  return percent(mean(shares))
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
