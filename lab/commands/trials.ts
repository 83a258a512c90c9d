import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { GROUPS } from '../../tools/trial/cases.ts'
import { isMet } from '../../tools/trial/measures.ts'
import { DEFAULT_GOAL, type TrialCase } from '../../tools/trial/trial-case.ts'
import { table } from '../report/table.ts'
import { type SimulatedTrial, simulateTrial } from '../trials/simulated-trial.ts'
import { namesIn } from './names.ts'
import { fail } from './session.ts'

const CASES = GROUPS[0]!.cases
const WANTED = { flag: '--case', one: 'a trial', all: 'trials' }

export const trials = strict(
  defineCommand({
    meta: {
      name: 'trials',
      description: 'The trials of `npm run trial` in simulated time: seconds instead of minutes.',
    },
    args: {
      case: { type: 'string', description: 'Names with commas between them (default: all)' },
      seeds: { type: 'string', description: 'How many', default: '8' },
      first: { type: 'string', description: 'The first of them', default: '1' },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args: { case: names, seeds, first, json } }) {
      if (!(Number(seeds) >= 1) || !(Number(first) >= 1)) {
        fail('--seeds and --first: expected whole numbers from 1 on. Write for example --seeds 8.')
        return
      }
      try {
        const known = CASES.map(({ name }) => name)
        const chosen = names === undefined ? known : namesIn(names, known, WANTED)
        const figures = []
        for (const trial of CASES.filter(({ name }) => chosen.includes(name)))
          figures.push(await figureOf(trial, Number(first), Number(seeds)))
        if (json) console.log(JSON.stringify(figures, null, 2))
        else console.log(textOf(figures))
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        fail(error.message)
      }
    },
  }),
)

/** Means over the seeds, the least share, and how many seeds met the goal. */
async function figureOf(trial: TrialCase, first: number, count: number) {
  const { name, goal = DEFAULT_GOAL } = trial
  const runs: SimulatedTrial[] = []
  for (let seed = first; seed < first + count; seed++) runs.push(await simulateTrial(trial, seed))
  const mean = (of: (run: SimulatedTrial) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / count
  return {
    ...{ name, goal, seeds: count },
    share: mean(({ share }) => share),
    least: Math.min(...runs.map(({ share }) => share)),
    lateShare: mean(({ lateShare }) => lateShare),
    met: runs.filter((run) => isMet(trial, run)).length,
  }
}

function textOf(figures: readonly Awaited<ReturnType<typeof figureOf>>[]): string {
  const rows = figures.map(({ name, goal, share, least, lateShare, met, seeds }) => [
    ...[name, goal.toFixed(2), share.toFixed(3), least.toFixed(3), lateShare.toFixed(3)],
    `${met} of ${seeds}`,
  ])
  const met = figures.reduce((sum, one) => sum + one.met, 0)
  const all = figures.reduce((sum, one) => sum + one.seeds, 0)
  return `${table(['trial', 'goal', 'share', 'least', 'late', 'met'], rows)}\n\n${met} of ${all} runs met their goal. Measured as in docs/trials.md.`
}
