import { it } from 'vitest'
import { seeds } from '../../lab/engine/seeds.ts'
import { claimsOf, type Experiment, type Paper } from '../../lab/experiments/experiment.ts'
import { EXPERIMENTS } from '../../lab/experiments/index.ts'
import { type RunOf, Runs } from '../../lab/experiments/runs.ts'

/** All experiments together are to take less than a minute; a busy machine gets more for each. */
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

/** The short form of a paper's experiments: every claim that is not said to be missed holds. */
export function itHoldsWhatIsClaimed(paper: Paper, isChosen = (_name: string) => true): void {
  for (const experiment of EXPERIMENTS) {
    if (experiment.paper !== paper || !isChosen(experiment.name)) continue
    const { figure, title } = experiment
    it(`${figure}: ${title}`, { timeout: TIMEOUT_MS }, async ({ expect }) => {
      const runs = await shortRuns(experiment)
      const claims = claimsOf(experiment, 'short').filter(({ missed }) => missed === undefined)
      expect(claims.length).toBeGreaterThan(0)
      const broken = claims.filter((claim) => !claim.holds(runs))
      expect(broken.map((claim) => `${claim.text}: ${claim.found(runs)}`)).toEqual([])
    })
  }
}
