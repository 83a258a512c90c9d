import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { EXPERIMENTS } from '../experiments/index.ts'
import { CONTESTS } from '../tournament/contests.ts'
import { POLICY_NAMES } from '../tournament/policies.ts'
import { PLANET_RUN } from './planet.ts'

export const list = strict(
  defineCommand({
    meta: {
      name: 'list',
      description: 'List what can be run: experiments, scenarios and policies.',
    },
    run() {
      console.log("Experiments from the papers, each with the paper's claims:")
      const figures = EXPERIMENTS.map(({ name, paper, figure, title }) => [
        `  ${name}`,
        `${paper}, ${figure}: ${title}`,
      ])
      console.log(leftTable(figures))
      console.log('\nScenarios of the tournament:')
      console.log(leftTable(CONTESTS.map(({ name, text }) => [`  ${name}`, text])))
      console.log('\nThe edge, without --policy and --seeds:')
      console.log(leftTable([[`  ${PLANET_RUN.name}`, PLANET_RUN.text]]))
      console.log('\nPolicies for scenarios (experiments have their own):')
      console.log(POLICY_NAMES.map((name) => `  ${name}`).join('\n'))
      console.log(`\n${HOW_TO_NAME}`)
    },
  }),
)

/** A name with commas and spaces, as an example. */
const LONG_NAME = POLICY_NAMES.find((name) => name.includes(', '))

const HOW_TO_NAME = `Separate several policies with commas. Quote the list if a name has spaces or commas:\n  npm run lab -- run shop-calm --policy "soc-lqr, ${LONG_NAME}, none"`

function leftTable(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first]) => first!.length))
  return rows.map(([first, second]) => `${first!.padEnd(width)}  ${second}`).join('\n')
}
