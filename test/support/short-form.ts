import { beforeAll, describe, it } from 'vitest'
import { seeds } from '../../lab/engine/seeds.ts'
import { claimsOf, type Experiment, type Paper } from '../../lab/experiments/experiment.ts'
import { EXPERIMENTS } from '../../lab/experiments/index.ts'
import { type RunOf, Runs } from '../../lab/experiments/runs.ts'

/** All experiments together should take less than a minute; a busy machine gets more for each. */
const TIMEOUT_MS = 60_000

async function shortRuns(experiment: Experiment): Promise<Runs> {
  const all: RunOf[] = []
  for (const point of experiment.points('short')) {
    for (const policy of experiment.policies('short')) {
      for (const seed of seeds(experiment.seeds.short)) {
        all.push({ point, policy, seed, found: await experiment.run(point, policy, seed, 'short') })
      }
    }
  }
  return Runs.from(all)
}

/** Runs the short form of a paper's experiments. Each claim is a test, except those marked as missed. */
export function describeClaims(paper: Paper, isChosen = (_name: string) => true): void {
  for (const experiment of EXPERIMENTS) {
    if (experiment.paper !== paper || !isChosen(experiment.name)) continue
    describe(`${experiment.figure}: ${experiment.title}`, () => {
      let runs: Runs
      beforeAll(async () => {
        runs = await shortRuns(experiment)
      }, TIMEOUT_MS)

      const claims = claimsOf(experiment, 'short').filter(({ missed }) => missed === undefined)
      for (const claim of claims) {
        it(claim.text, ({ expect }) => {
          expect(claim.holds(runs), claim.found(runs)).toBe(true)
        })
      }
    })
  }
}
