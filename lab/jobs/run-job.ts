import { EXPERIMENTS } from '../experiments/index.ts'
import type { Measured } from '../gate/measures.ts'
import type { RunResult } from '../gate/run-plant.ts'
import { bestLoadIn } from '../scenario-file/best.ts'
import { contestOfFile } from '../scenario-file/contest.ts'
import { CALIBRATIONS, calibrate } from '../tournament/calibrate.ts'
import { CONTESTS } from '../tournament/contests.ts'
import { play } from '../tournament/policies.ts'
import { runClairvoyants, runWorld } from '../worlds/run.ts'
import type { Job, Outputs } from './job.ts'

/**
 * A job contains everything that its run depends on, so it gives the same output wherever it runs.
 */
export async function runJob(job: Job): Promise<Outputs[Job['kind']]> {
  switch (job.kind) {
    case 'contest':
      return measuredOf(await play(named(CONTESTS, job.contest), job.policy, job.seed))
    case 'file':
      return measuredOf(await play(contestOfFile(job.content), job.policy, job.seed))
    case 'best-load':
      return bestLoadIn(job.content, job.state)
    case 'calibration':
      return calibrate(named(CALIBRATIONS, job.name))
    case 'experiment':
      return named(EXPERIMENTS, job.experiment).run(job.point, job.policy, job.seed, job.form)
    case 'world-clairvoyants':
      return runClairvoyants(job)
    case 'world':
      return runWorld(job)
  }
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name)
  if (found === undefined) throw new RangeError(`there is nothing called "${name}"`)
  return found
}

/** The trace of a run is large and not needed here. */
function measuredOf({ trace: _, ...measured }: RunResult): Measured {
  return measured
}
