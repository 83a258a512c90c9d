import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
import { LEAVING, SOME, type Tick } from './tick.ts'
import type { Times } from './tiers.ts'

/** What is at the origin, and how fast it goes through. */
export interface Flow {
  /** Requests at the origin, with those whose clients have left. */
  readonly inside: number
  /** Requests whose clients have left and that the origin may still work on. */
  readonly orphans: number
  /** Served per second, of the last two ticks. */
  readonly goodput: number
  /** Mean response time of about the last completions. */
  readonly recentS: number
  /** Ticks for which there has been a backlog; 0: there is none. */
  readonly backlogged: number
}

export const NO_FLOW: Flow = { inside: 0, orphans: 0, goodput: 0, recentS: 0, backlogged: 0 }

export const isFlow: StateSchema = object({
  inside: atLeastZero,
  orphans: atLeastZero,
  goodput: atLeastZero,
  recentS: atLeastZero,
  backlogged: atLeastZero,
})

export interface Seen {
  readonly flow: Flow
  /** Expected wait of a request that comes now, from Little's law. */
  readonly waitS: number
  /** Kept busy at its cap: what is refused would fill every gap. */
  readonly atCap: boolean
  /** Requests waited all the time, so that the goodput was the capacity. */
  readonly saturated: boolean
}

/** So many requests besides those in service are a queue, and not the chance of a moment. */
export const isBeyondChance = (waiting: number, busy: number): boolean =>
  waiting > 3 + 2 * Math.sqrt(busy)

/** `capacity`: C as far as known; null: not at all. `hasCap`: a cap on requests in flight is in force. */
export function observeFlow(
  before: Flow,
  tick: Tick,
  { meanS, slackS, targetS, variation }: Times,
  capacity: number | null,
  hasCap: boolean,
): Seen {
  const { seconds, served } = tick
  const rate = served / seconds
  const goodput = before.goodput === 0 ? rate : (before.goodput + rate) / 2
  const responseS = served > 0 ? tick.latencyS / served : before.recentS
  const recentS = before.recentS + Math.min(1, served / SOME) * (responseS - before.recentS)
  const orphans = orphansAfter(before.orphans, tick, capacity ?? goodput, targetS)
  // The level at the end leads the mean by Little's law, but is known only roughly.
  const mean = responseS < seconds ? tick.latencyS / seconds : 0
  const inside = Math.max(tick.inFlight, mean) + orphans
  const waitS = inside / Math.max(goodput, 1 / Math.max(seconds, meanS)) - meanS
  const isLasting = before.backlogged > 0
  const isBacklogged =
    waitS > (isLasting ? slackS / 2 : slackS) &&
    recentS > meanS + slackS / (isLasting ? 4 : 2) &&
    inside - rate * meanS > 2
  const chanceS = 2 * meanS * Math.sqrt(variation / Math.max(SOME, served))
  const busy = (capacity ?? goodput) * meanS
  // A queue at the start that what came kept up. A queue at the end would choose ticks in which little was served.
  const waited = before.inside - busy
  const isFed =
    waited + tick.requests - (capacity ?? goodput) * seconds >= 0 ||
    inside - busy > 2 * Math.sqrt(served)
  const isQueued = isFed && isBeyondChance(waited, busy) && recentS > 1.1 * meanS + chanceS
  const slowS = meanS * Math.min(0.5, 2 / Math.sqrt(goodput * meanS)) + chanceS
  const atCap =
    hasCap && tick.refusing && recentS - meanS > slowS && goodput * (recentS - meanS) >= 1
  const isClear = before.orphans === 0 && tick.abandoned <= LEAVING * served
  const isLongBacklog = isLasting && isBacklogged && capacity === null
  return {
    flow: {
      inside,
      orphans,
      goodput,
      recentS,
      backlogged: isBacklogged ? before.backlogged + 1 : 0,
    },
    waitS,
    atCap,
    saturated:
      (isClear || (capacity === null && tick.abandoned < served)) &&
      (atCap || isQueued || isLongBacklog),
  }
}

/**
 * What is given up is not taken back: many origins work on for clients that have left. As long as the origin serves clearly
 * less than it can, it is busy with such work. While it answers fewer than give up, nobody knows how much of it is done.
 */
function orphansAfter(
  before: number,
  { abandoned, served, seconds, latencyS }: Tick,
  capacity: number,
  targetS: number,
): number {
  // Who is answered in time has not waited for what clients have left behind.
  if (abandoned === 0 && served > 0 && latencyS <= served * targetS) return 0
  const spare = capacity * seconds - served
  if (abandoned > 0 && served <= abandoned) return before + abandoned
  if (served === 0) return before
  return spare < 0.1 * capacity * seconds
    ? 0
    : Math.max(0, before + abandoned - Math.max(spare, before / 2))
}
