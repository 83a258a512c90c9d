import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../lib/session-age-buckets.ts'
import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Demand } from './demand.ts'
import type { Tick } from './tick.ts'

/** What a session has asked for by a certain age, at the lower ends of the age buckets. */
export interface RequestCurve {
  readonly rates: readonly number[]
  /** H: requests before this age. */
  readonly made: readonly number[]
  /** A: H added up over the ages before this one. A session in each second of T brings A(T) requests within T. */
  readonly area: readonly number[]
}

export function requestCurve(rates: readonly number[]): RequestCurve {
  const made = [0]
  const area = [0]
  for (let bucket = 0; bucket < AGE_BUCKETS; bucket++) {
    const widthS = ageBucketFromS(bucket + 1) - ageBucketFromS(bucket)
    const asked = rates[bucket]! * widthS
    area.push(area[bucket]! + widthS * (made[bucket]! + asked / 2))
    made.push(made[bucket]! + asked)
  }
  return { rates, made, area }
}

const LAST = AGE_BUCKETS - 1

/** H(t) */
export function madeBefore({ rates, made }: RequestCurve, ageS: number): number {
  const bucket = ageBucketOf(1000 * ageS)
  const insideS = Math.min(ageS, ageBucketFromS(LAST + 1)) - ageBucketFromS(bucket)
  return made[bucket]! + rates[bucket]! * insideS
}

/** A(t) = ∫ H */
export function areaBefore({ rates, made, area }: RequestCurve, ageS: number): number {
  const endS = ageBucketFromS(LAST + 1)
  if (ageS >= endS) return area[LAST + 1]! + (ageS - endS) * made[LAST + 1]!
  const bucket = ageBucketOf(1000 * ageS)
  const insideS = ageS - ageBucketFromS(bucket)
  return area[bucket]! + insideS * (made[bucket]! + (rates[bucket]! * insideS) / 2)
}

/** Requests per second that the sessions admitted so far will bring `aheadS` seconds from now. */
export function forecast({ admissions }: Demand, curve: RequestCurve, aheadS: number): number {
  let load = 0
  let before = madeBefore(curve, aheadS)
  let ageS = aheadS
  for (let i = 0; i < admissions.length; i += 2) {
    const widthS = admissions[i]!
    ageS += widthS
    const after = madeBefore(curve, ageS)
    load += (admissions[i + 1]! / widthS) * (after - before)
    before = after
  }
  return load
}

/** F(T): requests that they will bring within T. */
export function comingWithin({ admissions }: Demand, curve: RequestCurve, withinS: number): number {
  let requests = 0
  let ageS = 0
  const ahead = (s: number): number => areaBefore(curve, s + withinS) - areaBefore(curve, s)
  let before = ahead(0)
  for (let i = 0; i < admissions.length; i += 2) {
    const widthS = admissions[i]!
    ageS += widthS
    const after = ahead(ageS)
    requests += (admissions[i + 1]! / widthS) * (after - before)
    before = after
  }
  return requests
}

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
