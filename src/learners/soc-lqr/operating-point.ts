import { atLeastZero, flag, object, type StateSchema } from '../../lib/state-schema.ts'
import { ceilingOf, type LateCurve } from './curve.ts'
import type { Times } from './tiers.ts'

/** How the origin fared in an interval. */
export interface Assessment {
  readonly seconds: number
  readonly completed: number
  readonly requests: number
  /** Requests per second that it got, and served. */
  readonly load: number
  readonly goodput: number
  /** Mean response time. */
  readonly responseS: number
  /** z: mean wait in units of half the slack, of the tier that waits longest. */
  readonly queueing: number
  /** Share over the target in units of what the SLA allows, of the tier that is worst. */
  readonly spent: number
  /** Clients that gave up, per completion. */
  readonly givenUp: number
}

/** How close to the capacity: of the load the part that is left free, of the cap a factor. */
export interface OperatingPoint {
  /** 1 − u */
  readonly spare: number
  readonly trim: number
  /** How often more than this cap was too much, and whether it rises now. */
  readonly failed: number
  readonly isRising: boolean
  readonly budget: Budget
}

/** What windows spend of the allowance: over about the last one, and the mean and mean square over several. */
export interface Budget {
  readonly spent: number
  readonly completed: number
  readonly mean: number
  readonly square: number
}

export const isOperatingPoint: StateSchema = object({
  spare: atLeastZero,
  trim: atLeastZero,
  failed: atLeastZero,
  isRising: flag,
  budget: object({
    spent: atLeastZero,
    completed: atLeastZero,
    mean: atLeastZero,
    square: atLeastZero,
  }),
})

/** Before anything is known 0.36 of the allowance is spent, and windows differ by 0.9 of that. */
export const FIRST_POINT: OperatingPoint = {
  spare: 0.1,
  trim: 1,
  failed: 0,
  isRising: true,
  budget: { spent: 0, completed: 0, mean: 0.36, square: 0.36 ** 2 * 1.81 },
}

/** So many windows tell how much windows differ. */
const WINDOWS = 4

export function observeBudget(budget: Budget, verdict: Assessment, windowS: number): Budget {
  const { seconds, completed } = verdict
  // An exponential memory of half the window varies as much as the window itself.
  const keep = Math.exp(-seconds / (windowS / 2))
  const spent = budget.spent * keep + verdict.spent * completed
  const all = budget.completed * keep + completed
  const window = spentOf({ ...budget, spent, completed: all })
  const weight = 1 - Math.exp(-seconds / (WINDOWS * windowS))
  return {
    spent,
    completed: all,
    mean: budget.mean + weight * (window - budget.mean),
    square: budget.square + weight * (window * window - budget.square),
  }
}

/** What about the last window has spent. */
export const spentOf = ({ spent, completed }: Budget): number =>
  completed > 0 ? spent / completed : 0

/**
 * The part of the allowance to spend: the mean and so many deviations are the allowance. What service alone spends is
 * not the queue's doing, and of the rest 0.3 may be spent all the same.
 */
export function aimOf({ mean, square }: Budget, certainty: number, { ownSpent }: Times): number {
  const variation = Math.sqrt(Math.max(0, square - mean * mean)) / Math.max(mean, 0.05)
  const byWindows = Math.min(0.7, Math.max(0.3, 1 / (1 + certainty * variation)))
  return Math.max(byWindows, ownSpent + 0.3 * Math.max(0, 1 - ownSpent))
}

const LEAST_SPARE = 0.015
/** Below this z nothing waits at all: what is over the target is slow by itself, and less load makes it no faster. */
const QUIET = 0.1

/** u = 1 − spare, no more than SOC's curve allows. */
export function operatingPart({ spare }: OperatingPoint, curve: LateCurve, floor: number): number {
  return Math.max(floor, Math.min(1 - spare, ceilingOf(curve)))
}

/**
 * In heavy traffic P(wait > W) = exp(−κ 2/(1 + c²)) with κ = spare C W, whatever the size of the origin (Kingman 1962). So
 * κ follows from the share over the target that is aimed at.
 */
export function startingSpare(headroom: number, capacity: number, times: Times): number {
  const { slackS, aimed, variation } = times
  const kappa = (headroom * Math.log(1 / aimed) * (1 + Math.min(3, variation))) / 2
  return Math.min(0.3, Math.max(LEAST_SPARE, kappa / (capacity * slackS)))
}

/** A change of the capacity changes what has to be left free by as much. */
export const scaledSpare = (spare: number, ratio: number): number =>
  Math.min(0.5, Math.max(LEAST_SPARE, spare / ratio))

export interface TrimGround {
  readonly aim: number
  /** What about the last window has spent of its allowance. */
  readonly windowSpent: number
  /** Within this time the loop shows what a change has done. */
  readonly lagS: number
  readonly windowS: number
  readonly floor: number
}

/** Half a window is long enough to tell what it will spend, and so is this time. */
const LONGEST_S = 30

const MUCH_SPARE = 0.1
const IDLE_SPEED = 3

/** An integrator on ln spare: a bad interval counts with nearly all that it is over. */
export function trimmedSpare(spare: number, verdict: Assessment, ground: TrimGround): number {
  const { aim, lagS, windowS, floor, windowSpent } = ground
  const spent = verdict.queueing < QUIET ? Math.min(verdict.spent, aim) : verdict.spent
  // Where much is left free, nothing waits and hardly anything is late, far too little is let in.
  const isIdle = spare > MUCH_SPARE && verdict.queueing < QUIET && spent < aim / 2
  const wanted = isIdle ? -IDLE_SPEED : Math.min(4, (spent - aim) / aim)
  // What the window has spent is gone: until that is made up for nothing is taken back.
  const isSpent = windowSpent > aim && verdict.queueing >= QUIET
  const error = isSpent ? Math.max(0, wanted) : wanted
  const slownessS = Math.max(Math.min(windowS / 2, LONGEST_S), lagS)
  const moved = spare * Math.exp((verdict.seconds * error) / slownessS)
  return Math.min(1 - floor, Math.max(LEAST_SPARE, moved))
}

/**
 * The same for the cap. Between two caps one may be far too large for the target, so a cap that was too much is tried again
 * ever more slowly, until that is forgotten.
 */
export function trimmedCap(
  { trim, failed, isRising }: OperatingPoint,
  { spent, queueing, seconds }: Assessment,
  { aim, lagS, windowS, windowSpent }: Omit<TrimGround, 'floor'>,
): Pick<OperatingPoint, 'trim' | 'failed' | 'isRising'> {
  const isUp = queueing < QUIET || spent <= aim
  const isMadeUp = queueing < QUIET || windowSpent <= aim
  const error = isUp ? (isMadeUp ? 2 ** -failed : 0) : Math.max(-3, (aim - spent) / aim)
  const moved = trim * Math.exp((seconds / (9 * lagS)) * error)
  const isAnswered = isRising && !isUp && spent > 1
  return {
    trim: Math.min(1.6, Math.max(0.2, moved)),
    failed: isAnswered ? Math.min(6, failed + 1) : Math.max(0, failed - seconds / windowS),
    isRising: isUp || (isRising && spent <= 1),
  }
}

/** Requests beyond the busy servers that keep them busy, per square root of their number (Halfin and Whitt 1981). */
const RESERVE = 3.6

/**
 * The knee of the curve of goodput against requests inside: by Little's law C S0 servers are busy, and beyond a reserve that
 * grows with their square root more only wait.
 */
export function kneeOf(load: number, meanS: number, factor: number): number {
  const busy = load * meanS
  return busy + (RESERVE * Math.sqrt(busy) + 1) * factor
}

/**
 * K: no more than keeps the servers busy, and than the target leaves time for, but not far below the busy servers: a
 * response time out of reach shuts nothing down.
 */
export function capOf(capacity: number, trim: number, times: Times, floor: number): number {
  const { meanS, targetS, tailS } = times
  const busy = capacity * meanS
  const inTime = capacity * Math.min(meanS + targetS - tailS, targetS / 2)
  const least = busy + (Math.sqrt(busy) + 1) / 2
  const knee = kneeOf(capacity, meanS, Math.max(1, trim))
  return Math.max(
    1,
    Math.round(Math.max(floor * busy, Math.min(knee, Math.max(least, inTime) * trim))),
  )
}
