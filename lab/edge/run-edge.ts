import { prepare, type RunOptions, type RunResult } from '../gate/run-plant.ts'
import { type EdgeOptions, edgePolicy } from './edge.ts'
import { runWithPromises } from './timers.ts'

/** Simulates a plant behind the product's own edge and coordinator. */
export async function runEdge(options: RunOptions & EdgeOptions): Promise<RunResult> {
  const { agenda, steps } = prepare(options, edgePolicy(options))
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await runWithPromises(agenda, step.value)
  }
}
