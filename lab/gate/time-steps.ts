import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { Change } from '../origins/changes.ts'
import type { Origin } from '../origins/origin.ts'

interface TimeStepOptions {
  readonly origin: Origin
  readonly changes: readonly Change[]
  readonly tickMs: number
  readonly endMs: number
}

/**
 * The time steps of a run: each number is the time up to which the agenda runs next. In between,
 * the origin changes, and `tick` is called at the end of each tick.
 */
export function* timeSteps(
  { origin, changes, tickMs, endMs }: TimeStepOptions,
  tick: (atMs: number, announced: readonly CapacityEvent[]) => void,
): Generator<number, void, void> {
  const coming = [...changes].sort((a, b) => a.atMs - b.atMs)
  let announced: CapacityEvent[] = []
  for (let atMs = tickMs; atMs <= endMs; atMs += tickMs) {
    while (coming.length > 0 && coming[0]!.atMs <= atMs) {
      const change = coming.shift()!
      yield change.atMs
      const before = origin.capacity
      origin.change(change)
      if (change.announced) announced.push({ before, after: origin.capacity })
    }
    yield atMs
    tick(atMs, announced)
    announced = []
  }
}
