import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Demand } from './demand.ts'
import { areaBefore, comingWithin, type RequestCurve } from './forecast.ts'
import type { Tick } from './tick.ts'

/**
 * What was decided and does not show yet. A decision is in force, and shows in a sample, only after the dead time of the
 * loop: the way of reports and plans. Who steers by what shows alone corrects the same deviation again in each tick of it.
 */
export interface Pipe {
  /** The dead time, in seconds. */
  readonly deadS: number
  /** Decided, newest first: seconds, limit, seconds, limit, … */
  readonly decided: readonly number[]
}

export const NO_PIPE: Pipe = { deadS: 0, decided: [] }

export const isPipe: StateSchema = object({ deadS: atLeastZero, decided: list(atLeastZero) })

/** Weight of the newest tick's dead time: single ones are chance. */
const WEIGHT = 0.2
const LONGEST_S = 5

export function observePipe({ deadS, decided }: Pipe, { deadS: measured }: Tick): Pipe {
  if (measured === undefined) return { deadS, decided }
  const next = deadS + WEIGHT * (Math.min(LONGEST_S, measured) - deadS)
  return { deadS: next, decided }
}

/** A decision has gone out. */
export function withDecision({ deadS, decided }: Pipe, limit: number, seconds: number): Pipe {
  const kept: number[] = [seconds, limit]
  let sum = seconds
  for (let i = 0; i < decided.length && sum < LONGEST_S; i += 2) {
    kept.push(decided[i]!, decided[i + 1]!)
    sum += decided[i]!
  }
  return { deadS, decided: kept }
}

/** What is admitted by earlier decisions before the next one is in force, in the unit of the limit. No more come than ask. */
function piped({ deadS, decided }: Pipe, offered: number): number {
  let left = deadS
  let admitted = 0
  for (let i = 0; i < decided.length && left > 0; i += 2) {
    const seconds = Math.min(left, decided[i]!)
    admitted += seconds * Math.min(decided[i + 1]!, offered)
    left -= seconds
  }
  return admitted
}

/** The sessions as they will be when the next decision is in force. */
export function demandAhead(demand: Demand, pipe: Pipe, offered: number): Demand {
  if (pipe.deadS === 0) return demand
  const { admissions } = demand
  return { ...demand, admissions: [pipe.deadS, piped(pipe, offered), ...admissions] }
}

/** What is known of the sessions and of the origin that they go to. */
interface Outlook {
  readonly demand: Demand
  readonly curve: RequestCurve
  readonly bias: number
  readonly capacity: number
  /** Sessions per second that ask. */
  readonly offered: number
}

/** Requests that pile up, or drain, until the next decision is in force. */
export function piledSessions(pipe: Pipe, outlook: Outlook): number {
  const { deadS } = pipe
  if (deadS === 0) return 0
  const { demand, curve, bias, capacity, offered } = outlook
  const fresh = (piped(pipe, offered) / deadS) * areaBefore(curve, deadS)
  return bias * (comingWithin(demand, curve, deadS) + fresh) - capacity * deadS
}

/** The same on routes without sessions. */
export function piledRequests(pipe: Pipe, offered: number, capacity: number): number {
  return piped(pipe, offered) - capacity * pipe.deadS
}
