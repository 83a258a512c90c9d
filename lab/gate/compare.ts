import type { EdgeOptions } from '../edge/edge.ts'
import { runEdge } from '../edge/run-edge.ts'
import { type Ruling, type RunOptions, type RunResult, runPlant } from './run-plant.ts'
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
  const options = optionsOf(scenario, seed)
  return beside(options, runPlant({ ...options, ...ruling }))
}

/** The same behind the product's own edge. */
export async function compareEdge(
  scenario: Scenario,
  edge: EdgeOptions,
  seed: number,
): Promise<Compared> {
  const options = optionsOf(scenario, seed)
  return beside(options, await runEdge({ ...options, ...edge }))
}

type Options = RunOptions & Pick<Scenario, 'clairvoyant'>

function optionsOf(scenario: Scenario, seed: number): Options {
  const { plant, seconds, measureFromSeconds, clairvoyant } = scenario
  return { plant, seed, seconds, measureFromSeconds, clairvoyant }
}

function beside(options: Options, run: RunResult): Compared {
  const clairvoyant = runPlant({ ...options, policy: options.clairvoyant })
  const share = run.inSlaValue / clairvoyant.inSlaValue
  return { seed: options.seed, run, clairvoyant, share }
}
