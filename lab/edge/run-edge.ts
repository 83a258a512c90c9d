import { prepare, type RunOptions, type RunResult } from '../gate/run-plant.ts'
import { type EdgeOptions, edgePolicy } from './edge.ts'

/**
 * Simulates a plant behind the product's own edge and coordinator. These wait by promises: whenever an event
 * lets one of them go on, everything that follows from it happens before the next event.
 */
export async function runEdge(options: RunOptions & EdgeOptions): Promise<RunResult> {
  const { agenda, steps } = prepare(options, edgePolicy(options))
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    while (!agenda.runUntil(step.value)) await promisesSettled()
  }
}

/** A turn of the event loop comes only after all promises that can go on have done so. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
