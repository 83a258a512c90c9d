/** What estimates of the wait are made from, learned from what happened to earlier visitors: a plain JSON value. */
export interface EstimateState {
  /** The part of new tickets that comes back. */
  readonly returns: number
  /** The part of called tickets that enters. */
  readonly shows: number
  /** Entries per second. */
  readonly rate: number
  /** The part of the waiting that leaves per second. */
  readonly leaving: number
  /** The ends of the range, as parts of the estimate. */
  readonly low: number
  readonly high: number
  /** Promises of about the last thousand entries: entered before the range, within it, after it. */
  readonly early: number
  readonly kept: number
  readonly late: number
}

export const FIRST_ESTIMATES: EstimateState = {
  ...{ returns: 1, shows: 1, rate: 0, leaving: 0 },
  ...{ low: 0.72, high: 1.4, early: 0, kept: 0, late: 0 },
}

export interface EstimateTick {
  readonly seconds: number
  /** Tickets that entered; new tickets that came back; promises by outcome. */
  readonly entered: number
  readonly returned: number
  readonly early: number
  readonly kept: number
  readonly late: number
  /** Tickets that dropped out: new ones, waiting ones, called ones. */
  readonly freshLost: number
  readonly waitingLost: number
  readonly calledLost: number
  readonly waiting: number
  /** Entries per second that are allowed; null: any number. */
  readonly allowed: number | null
  /** Does the limit hold visitors back? Otherwise entries show how many came, not how many may. */
  readonly isBinding: boolean
}

/** Tickets that the parts are averaged over. */
const MEMORY = 200
const LEAST_PART = 0.05
const RATE_MEMORY_S = 60
const LEAVING_MEMORY_S = 30
const PROMISE_MEMORY = 1000
/** Outside the range on each side. */
const OUTSIDE = 0.1
/** How fast an end of the range moves, per second, if all outcomes of it are on one side. */
const PULL = 0.06

export function estimatesAfter(before: EstimateState, tick: EstimateTick): EstimateState {
  const { seconds, entered, returned, early, kept, late } = tick
  const outcomes = early + kept + late
  // Without an outcome the range stays as it is.
  const some = outcomes || Number.NaN
  const kept0 = Math.max(0, 1 - outcomes / PROMISE_MEMORY)
  return {
    returns: part(before.returns, returned, tick.freshLost),
    shows: part(before.shows, entered, tick.calledLost),
    rate: rateAfter(before.rate, tick),
    leaving: smoothed(
      before.leaving,
      tick.waiting > 0 ? tick.waitingLost / (tick.waiting + tick.waitingLost) / seconds : 0,
      seconds / LEAVING_MEMORY_S,
    ),
    // Too many before the range: it must begin sooner. Too many after it: it must end later.
    low: bounded(before.low * pull(OUTSIDE - early / some, seconds), 0.1, 0.98),
    high: bounded(before.high * pull(late / some - OUTSIDE, seconds), 1.02, 5),
    early: before.early * kept0 + early,
    kept: before.kept * kept0 + kept,
    late: before.late * kept0 + late,
  }
}

function rateAfter(before: number, { allowed, entered, seconds, isBinding }: EstimateTick): number {
  if (before === 0 || !isBinding) return allowed ?? entered / seconds
  return smoothed(before, entered / seconds, seconds / RATE_MEMORY_S)
}

/** The part of `came` in `came + lost`, averaged over the last tickets. */
function part(before: number, came: number, lost: number): number {
  const seen = came + lost
  if (seen === 0) return before
  return Math.max(LEAST_PART, smoothed(before, came / seen, seen / MEMORY))
}

const smoothed = (before: number, now: number, weight: number): number =>
  before + Math.min(1, weight) * (now - before)

const pull = (excess: number, seconds: number): number =>
  Number.isNaN(excess) ? 1 : Math.exp(PULL * Math.min(5, seconds) * excess)

const bounded = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value))
