import type { TierSample } from '../learner-interface.ts'
import { carriedRate, foundCapacity } from './capacity.ts'
import { NO_CURVE, observeCurve } from './curve.ts'
import {
  type Assessment,
  aimOf,
  observeBudget,
  operatingPart,
  scaledSpare,
  spentOf,
  startingSpare,
  trimmedCap,
  trimmedSpare,
} from './operating-point.ts'
import type { SocLqrOptions } from './options.ts'
import { AT_LIMIT, grown, provenLoad, tried, triedLoad } from './reach.ts'
import type { Peak, SocLqrState } from './state.ts'
import { FEW, LEAVING, QUIET, SOME, type Tick } from './tick.ts'
import {
  allowedOf,
  learnedService,
  slowService,
  type Tier,
  type Times,
  tierTimes,
} from './tiers.ts'

/** Sessions are short whose mean age at their requests is below this. */
const SHORT_S = 10

/** Judges the interval, and learns the service times from it. Requests that clients gave up count as late. */
export function judge(
  { interval, tiers, capacity, flow }: SocLqrState,
  samples: readonly TierSample[],
): { readonly verdict: Assessment; readonly tiers: readonly Tier[] } {
  const { seconds, completed, requests, served, abandoned } = interval
  const givenUp = abandoned / Math.max(1, completed)
  const load = requests / seconds
  const isBusy = interval.refusingS > 0 || (capacity.rate !== null && load > 0.7 * capacity.rate)
  let queueing = 0
  let spent = 0
  let latencyS = 0
  const learned = tiers.map((tier, i) => {
    if (tier.completed < Math.min(30, 0.2 * completed)) return tier
    const { meanS, slackS, targetS } = tierTimes(tier, samples[i]!)
    const late = (tier.late / Math.max(1, tier.completed) + givenUp) / (1 + givenUp)
    spent = Math.max(spent, late / allowedOf(samples[i]!))
    if (tier.served === 0) return tier
    const ownS = tier.latencyS / tier.served
    const feltS = (ownS + givenUp * Math.max(ownS, targetS)) / (1 + givenUp)
    const wait = Math.max(0, feltS - meanS) / (slackS / 2)
    queueing = Math.max(queueing, wait)
    latencyS += tier.latencyS
    const isCalm = wait < QUIET || (!isBusy && wait < 2)
    return learnedService(tier, samples[i]!.targetMs / 1000, isCalm)
  })
  const responseS = served > 0 ? latencyS / served : flow.recentS
  const goodput = served / seconds
  const verdict = {
    seconds,
    completed,
    requests,
    load,
    goodput,
    responseS,
    queueing,
    spent,
    givenUp,
  }
  return { verdict, tiers: learned }
}

export interface JudgeGround {
  readonly tick: Tick
  readonly times: Times
  readonly options: SocLqrOptions
  /** D; 0 on routes without sessions. */
  readonly lagS: number
  /** Kept busy at its cap when the interval ended. */
  readonly atCap: boolean
  /** Earlier days had more than the limit in the next minutes. */
  readonly isPeakAhead: boolean
}

/** L: requests per second that the origin may get. */
export function allowedLoad(
  { capacity, reach, point, curve, tiers }: SocLqrState,
  { meanS }: Times,
  { startInService, floor }: SocLqrOptions,
): number {
  if (capacity.rate !== null)
    return Math.max(operatingPart(point, curve, floor), triedLoad(reach)) * capacity.rate
  // An origin takes at least one request at a time. Before its service time is known it is trusted with a few.
  const seen = tiers.reduce((sum, tier) => sum + tier.seen, 0)
  return Math.max(reach.load, (seen < SOME ? startInService : 1) / meanS)
}

/** What an interval teaches, once it has been judged. */
export function learn(
  state: SocLqrState,
  verdict: Assessment,
  ground: JudgeGround & { readonly closed: readonly Tier[] },
): SocLqrState {
  const peak = peakAfter(state.peak, verdict, ground.tick)
  if (peak.idle >= 2 || isAlone(verdict, ground.times)) return slowAfter(state, verdict, ground)
  const next = { ...state, tiers: ground.closed, peak }
  if (state.capacity.rate === null) return grownAfter(next, verdict, ground)
  // What was admitted before a change says nothing about the operating point after it.
  return state.settling > 0 ? next : tunedAfter(next, verdict, ground, state.capacity.rate)
}

/** Sessions that wait ask less, so a lower goodput says less about them. */
const IDLE_BELOW = { session: 0.6, request: 0.75 }

/**
 * A queue keeps its servers busy however short it is. Where clearly less is served than was, and response times have not
 * changed, servers are idle: it is the service that takes so long.
 */
function peakAfter(
  peak: Peak,
  { goodput, responseS, spent, givenUp }: Assessment,
  { onSessions }: Tick,
): Peak {
  const isOther = responseS > 1.5 * peak.responseS || responseS < 0.7 * peak.responseS
  if (isOther || goodput > peak.rate) return { rate: goodput, responseS, idle: 0 }
  const below = IDLE_BELOW[onSessions ? 'session' : 'request']
  const isIdle = goodput < below * peak.rate && spent > 1 && givenUp < LEAVING
  return { ...peak, idle: isIdle ? peak.idle + 1 : 0 }
}

/** By Little's law one is inside in the mean: whoever is alone does not wait, so what takes so long is the service. */
const isAlone = ({ goodput, responseS, spent }: Assessment, { meanS }: Times): boolean =>
  spent > 1 && goodput * responseS <= 1 && responseS > 1.3 * meanS

/** Slow service was taken for a queue: what was measured and trimmed because of it was for nothing. */
function slowAfter(
  state: SocLqrState,
  { goodput, responseS }: Assessment,
  { times, options }: JudgeGround,
): SocLqrState {
  const { capacity, point, peak } = state
  const { rate } = capacity
  const least = Math.max(rate ?? 0, 0.9 * peak.rate)
  return {
    ...state,
    tiers: state.tiers.map(slowService),
    peak: { rate: goodput, responseS, idle: 0 },
    point: {
      ...point,
      trim: Math.max(1, point.trim),
      spare: Math.min(point.spare, startingSpare(options.headroom, least, times)),
    },
    curve: NO_CURVE,
    capacity: rate === null ? capacity : foundCapacity(capacity, least, 2 * SOME),
    settling: 0,
  }
}

/** The time within which the loop shows what a change has done, without the interval itself. */
const loopS = ({ pipe }: SocLqrState, { times, tick, lagS }: JudgeGround): number =>
  lagS + times.meanS + 2 * tick.seconds + pipe.deadS

/** What is too much stays as long as sessions do: short ones may grow up to twice as fast. */
const sessionStep = (step: number, lagS: number): number =>
  1 + (step - 1) * (1 + SHORT_S / (SHORT_S + lagS))

/** One standard error of z. */
const chanceOf = ({ completed }: Assessment, { meanS, slackS, variation }: Times): number =>
  (2 * meanS * Math.sqrt(variation / Math.max(1, completed))) / slackS

/** Do more clients leave than should, beyond chance? Of slow services some take longer than anybody waits. */
function isLeaving({ givenUp, completed }: Assessment): boolean {
  const usual = LEAVING * completed
  return givenUp * completed > usual + 2 * Math.sqrt(usual)
}

/** Nothing is known: how much more may come? */
function grownAfter(state: SocLqrState, verdict: Assessment, ground: JudgeGround): SocLqrState {
  const { times, options, tick, lagS } = ground
  const { goodput, completed, seconds, queueing, spent, load } = verdict
  const { reach, capacity, point, pipe, interval } = state
  const isPressed = interval.refusingS > 0
  const isSurelyQueued = queueing - 2 * chanceOf(verdict, times) > 1
  const isQueued = tick.onSessions && isPressed && isSurelyQueued && completed >= SOME
  const isLeft = isLeaving(verdict) && reach.carried > 0
  if (spent > 1 && (isQueued || isLeft)) {
    // Where clients leave, a part of the work is not in the goodput.
    const rate = Math.max(goodput, isLeft ? provenLoad(reach, times) : 0)
    const spare = startingSpare(options.headroom, rate, times)
    const found = foundCapacity(capacity, rate, Math.max(FEW, completed))
    return { ...state, capacity: found, point: { ...point, spare }, settling: 1 }
  }
  return {
    ...state,
    reach: grown(
      reach,
      {
        ...{ load, seconds, completions: completed, queueing },
        waitS: verdict.responseS - times.meanS,
      },
      {
        ...{ meanS: times.meanS, variation: times.variation },
        allowed: allowedLoad(state, times, options),
        carried: carriedRate(capacity),
        // A cap holds what is too much. Sessions that are too many stay for a while.
        watchS: pipe.deadS + tick.seconds * (tick.onSessions ? 2 : 1) + 0.05 * lagS,
        step: tick.onSessions ? sessionStep(options.step, lagS) : 1.5,
        isPressed,
      },
    ),
  }
}

/**
 * A try waits for this part of a window, or for the age of sessions if that is less. Before a known peak it waits four times as
 * long, because a failure would leave a backlog to the peak.
 */
const PATIENCE = 1 / 8
const PEAK_PATIENCE = 4

/** How close to the capacity? */
function tunedAfter(
  before: SocLqrState,
  verdict: Assessment,
  ground: JudgeGround,
  capacity: number,
): SocLqrState {
  const { times, options, tick, lagS } = ground
  const { windowS } = times
  const { load, seconds, queueing, spent } = verdict
  const part = operatingPart(before.point, before.curve, options.floor)
  const budget = observeBudget(before.point.budget, verdict, windowS)
  const aim = aimOf(budget, options.certainty, times)
  const evidence = {
    ...{ load: load / capacity, seconds, completions: verdict.completed },
    queueing: Math.max(0, queueing - chanceOf(verdict, times)),
    waitS: Math.max(0, verdict.responseS - times.meanS),
  }
  const { reach, isConfirmed } = tried(before.reach, evidence, {
    ...{ limit: part, windowS },
    patienceS:
      Math.min(windowS * PATIENCE, SHORT_S + lagS) * (ground.isPeakAhead ? PEAK_PATIENCE : 1),
    confirmS: before.pipe.deadS + 2 * tick.seconds,
    isLate: spent > 1,
    ...{
      hasCap: !tick.onSessions && !tick.contested,
      capacity,
      meanS: times.meanS,
      variation: times.variation,
    },
  })
  const found = isConfirmed && load > capacity
  const point = {
    ...before.point,
    budget,
    ...(found && { spare: scaledSpare(before.point.spare, evidence.load) }),
  }
  const state = {
    ...before,
    reach,
    point,
    capacity: found
      ? foundCapacity(before.capacity, load, before.capacity.weight)
      : before.capacity,
  }
  const isNear = load >= AT_LIMIT * part * capacity || spent > aim
  // A cap keeps the load below its limit, and who is refused shows that it does.
  const isAtCap = !tick.onSessions && before.interval.refusingS > 0
  if (!isNear && !isAtCap) return state
  const trimGround = {
    aim,
    windowSpent: spentOf(budget),
    windowS,
    floor: options.floor,
    lagS: loopS(before, ground) + seconds,
  }
  const cap = tick.onSessions ? {} : trimmedCap(point, verdict, trimGround)
  // While the cap decides, the share over the target tells nothing about the load. Where classes compete the rate decides.
  const isByCap = ground.atCap || (isAtCap && !tick.contested && spent <= aim)
  const spare = isByCap || !isNear ? point.spare : trimmedSpare(point.spare, verdict, trimGround)
  const curve = observeCurve(before.curve, { ...verdict, capacity })
  return { ...state, curve, point: { ...point, ...cap, spare } }
}
