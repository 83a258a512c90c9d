import { defineCommand } from 'citty'
import { nearest } from '../../src/config/errors/wording.ts'
import { strict } from '../../tools/known-options.ts'
import { EXPERIMENTS } from '../experiments/index.ts'
import { ScenarioError } from '../scenario-file/load.ts'
import { CONTESTS } from '../tournament/contests.ts'
import { LEGEND } from './legend.ts'
import { PLANET_RUN, runPlanet } from './planet.ts'
import { type Choice, runContest, runExperiment, runFile } from './run-one.ts'
import { fail, Session } from './session.ts'

export const run = strict(
  defineCommand({
    meta: {
      name: 'run',
      description: 'Run experiments, scenarios or scenario files: names from `list`, or FILE.json.',
    },
    args: {
      names: {
        type: 'positional',
        description: 'Names or files',
        valueHint: 'NAME… | FILE.json',
        required: true,
      },
      policy: {
        type: 'string',
        description:
          'Only these policies, separated by commas; quote the list if names have spaces',
      },
      seeds: {
        type: 'string',
        description: 'Number of seeds (experiments have their own default)',
      },
      short: {
        type: 'boolean',
        description: "The experiments' short form, as in CI",
        default: false,
      },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args }) {
      const names = args._
      const seeds = args.seeds === undefined ? undefined : Number(args.seeds)
      if (seeds !== undefined && !(Number.isInteger(seeds) && seeds >= 1 && seeds <= 1000)) {
        fail(
          `--seeds: expected a whole number from 1 to 1000, got "${args.seeds}". Write for example 10.`,
        )
        return
      }
      const hasChoice = seeds !== undefined || args.policy !== undefined
      const problem =
        names.map(unknownName).find((text) => text !== null) ??
        (hasChoice && names.includes(PLANET_RUN.name) ? NO_CHOICE : undefined)
      if (problem !== undefined) {
        fail(problem)
        return
      }
      const choice: Choice = { policies: args.policy, seeds, form: args.short ? 'short' : 'full' }
      const session = new Session()
      const outputs: Record<string, unknown> = {}
      try {
        for (const name of names) {
          if (session.isStopped) break
          const done = await runOne(session, name, choice)
          if (args.json) outputs[done.name] = done.json
          else console.log(`${done.text}\n`)
        }
        if (args.json) console.log(JSON.stringify(outputs, null, 2))
        else if (names.some(isScenario)) console.log(LEGEND)
      } catch (error) {
        if (!(error instanceof ScenarioError || error instanceof RangeError)) throw error
        fail(error.message)
      } finally {
        session.close()
      }
    },
  }),
)

const NO_CHOICE = `${PLANET_RUN.name}: expected neither --policy nor --seeds. Leave them out.`

function runOne(session: Session, name: string, choice: Choice) {
  if (name === PLANET_RUN.name) return session.alone(() => runPlanet(choice.form))
  const experiment = EXPERIMENTS.find((one) => one.name === name)
  if (experiment) return runExperiment(session, experiment, choice)
  const contest = CONTESTS.find((one) => one.name === name)
  return contest ? runContest(session, contest, choice) : runFile(session, name, choice)
}

/**
 * An experiment prints figures of its paper, and the planet its own. All scenarios, also those from files, have the same
 * columns.
 */
const isScenario = (name: string): boolean =>
  [...EXPERIMENTS, PLANET_RUN].every((one) => one.name !== name)

function unknownName(name: string): string | null {
  const known = [...EXPERIMENTS, ...CONTESTS, PLANET_RUN].map((one) => one.name)
  if (name.endsWith('.json') || known.includes(name)) return null
  const meant = nearest(name, known)
  const remedy =
    meant === null ? '`npm run lab -- list` shows all names.' : `Did you mean "${meant}"?`
  return `${name}: expected the name of an experiment or a scenario, or a file that ends in .json. ${remedy}`
}
