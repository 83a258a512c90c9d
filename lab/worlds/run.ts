import type { Measured } from '../gate/measures.ts'
import type { WorldClairvoyantsJob, WorldJob } from '../jobs/job.ts'
import { play } from '../tournament/policies.ts'
import { type Clairvoyants, clairvoyantsOf } from './clairvoyants.ts'
import { behindOneIsolate, contestOf, runSeedOf } from './contest.ts'
import { drawWorld } from './draw-world.ts'

export function runClairvoyants({ seed, index }: WorldClairvoyantsJob): Promise<Clairvoyants> {
  return clairvoyantsOf(drawWorld(seed, index))
}

export async function runWorld(job: WorldJob): Promise<Measured> {
  const { seed, index, policy, options, best, oneIsolate } = job
  const world = drawWorld(seed, index)
  const contest = contestOf(world, best)
  const { trace: _, ...measured } = await play(
    oneIsolate ? behindOneIsolate(contest) : contest,
    policy,
    runSeedOf(world),
    options,
  )
  return measured
}
