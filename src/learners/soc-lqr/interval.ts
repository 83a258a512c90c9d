import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Tick } from './tick.ts'

/** Ticks that are judged together: what one of them shows is mostly chance. */
export interface Interval {
  readonly seconds: number
  readonly requests: number
  readonly completed: number
  readonly vanished: number
}

export const NO_INTERVAL: Interval = { seconds: 0, requests: 0, completed: 0, vanished: 0 }

export const isInterval: StateSchema = object({
  seconds: atLeastZero,
  requests: atLeastZero,
  completed: atLeastZero,
  vanished: atLeastZero,
})

export function addTick(interval: Interval, tick: Tick, vanished: number): Interval {
  return {
    seconds: interval.seconds + tick.seconds,
    requests: interval.requests + tick.requests,
    completed: interval.completed + tick.completed,
    vanished: interval.vanished + vanished,
  }
}

/** Completions that make an interval; while nothing is known, evidence must come sooner. */
const ENOUGH = 100
const ENOUGH_WHEN_COLD = 30

/** Enough completions, and two ticks or more. */
export function isFull(interval: Interval, tick: Tick, known: boolean): boolean {
  const enough = known ? ENOUGH : ENOUGH_WHEN_COLD
  return interval.completed >= enough && interval.seconds >= 1.5 * tick.seconds
}
