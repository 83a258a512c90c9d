import { number, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Tick } from './tick.ts'

/**
 * How many requests are at the origin, and how many were given up there. Both come from levels that add over
 * isolates; an isolate that dies leaves behind what it last had in service, until it is forgotten.
 */
export interface InService {
  /** As reported in the last tick, and what of it is believed. */
  readonly reported: number
  readonly count: number
  /** Means over ticks in which little waited: reported, and spent in service by what was completed. */
  readonly level: number
  readonly spent: number
  /** Sent, and neither completed nor there: mean per tick, and what has not been accounted for yet. */
  readonly lost: number
  readonly missing: number
}

export const NONE_IN_SERVICE: InService = {
  reported: 0,
  count: 0,
  level: 0,
  spent: 0,
  lost: 0,
  missing: 0,
}

export const isInService: StateSchema = object({
  reported: number,
  count: number,
  level: number,
  spent: number,
  lost: number,
  missing: number,
})

const MEMORY = 30
const MOST_OWED = 100
/** Part of the requests whose end is never reported, where isolates die with what they know. */
const FORGOTTEN = 0.02

export interface Found {
  readonly inService: InService
  /** Requests whose clients gave up. */
  readonly vanished: number
}

export function observeInService(
  before: InService,
  tick: Tick,
  calm: boolean,
  targetS: number,
): Found {
  const unaccounted = tick.requests - tick.completed - (tick.inService - before.reported)
  const mean = (old: number, fresh: number): number => old + (fresh - old) / MEMORY
  const level = calm ? mean(before.level, tick.inService) : before.level
  const spent = calm ? mean(before.spent, tick.latencyS / tick.seconds) : before.spent
  const lost = mean(before.lost, unaccounted)
  // Little's law: there is what the completions spent in service, and who gave up, after the target at the earliest.
  const expected = spent + (Math.max(0, lost) / tick.seconds) * targetS
  const ghosts = level > 1.5 * expected + 3 ? level - expected : 0
  const doubt = 2 * Math.sqrt(ghosts)
  const forgotten = ghosts > 0 ? FORGOTTEN * tick.requests : 0
  const missing = before.missing + unaccounted - forgotten
  const vanished = missing > doubt ? missing : 0
  return {
    inService: {
      reported: tick.inService,
      count: ghosts === 0 ? tick.inService : believed(tick.inService - ghosts, expected, doubt),
      level,
      spent,
      lost,
      missing: vanished > 0 ? 0 : Math.max(-MOST_OWED, missing),
    },
    vanished,
  }
}

/** What differs from the expected by no more than its doubt does not differ. */
function believed(count: number, expected: number, doubt: number): number {
  const ahead = count - expected
  return Math.max(0, expected + Math.sign(ahead) * Math.max(0, Math.abs(ahead) - doubt))
}
