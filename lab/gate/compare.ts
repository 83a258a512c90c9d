import type { Ruling, RunResult } from './run-plant.ts'
import { runPlant } from './run-plant.ts'
import type { Scenario } from './scenarios.ts'

export interface Compared {
  readonly seed: number
  readonly run: RunResult
  readonly clairvoyant: RunResult
  /** Value answered within the target, as a share of the clairvoyant's. */
  readonly share: number
}

/** One seed of a scenario, beside the clairvoyant who meets the same visitors. */
export function compare(scenario: Scenario, ruling: Ruling, seed: number): Compared {
  const { plant, seconds, measureFromSeconds } = scenario
  const options = { plant, seed, seconds, measureFromSeconds }
  const run = runPlant({ ...options, ...ruling })
  const clairvoyant = runPlant({ ...options, policy: scenario.clairvoyant })
  return { seed, run, clairvoyant, share: run.inSlaValue / clairvoyant.inSlaValue }
}
