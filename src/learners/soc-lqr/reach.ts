import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
import { QUIET, SOME } from './tick.ts'
import type { Times } from './tiers.ts'

/**
 * Loads that were never tried. While the capacity is not known, the load allowed grows step by step beyond what was
 * carried. Once it is known, it may have grown since: now and then a little more is tried.
 */
export interface Reach {
  /** The load that was reached while the capacity is not known, and the most that was carried without queueing. */
  readonly load: number
  readonly carried: number
  /** Since the last step: seconds at the limit, and completions without queueing. */
  readonly seconds: number
  readonly quiet: number
  /** How long these have waited, in all. */
  readonly waitedS: number
  /** How far beyond the capacity is tried: 0 is not at all. */
  readonly stage: number
  /** Tries that queueing answered since one was right: the next one waits longer. */
  readonly failed: number
}

const AGAIN = { seconds: 0, quiet: 0, waitedS: 0 } as const

export const NO_REACH: Reach = { load: 0, carried: 0, ...AGAIN, stage: 0, failed: 0 }

export const isReach: StateSchema = (value) =>
  object({
    load: atLeastZero,
    carried: atLeastZero,
    seconds: atLeastZero,
    quiet: atLeastZero,
    waitedS: atLeastZero,
    stage: (stage) => TRIED[stage as number] !== undefined,
    failed: atLeastZero,
  })(value)

/** The load has come up to its limit, as far as chance lets it. While sessions are hardly known, it stays below. */
export const AT_LIMIT = 0.85
const NEAR_LIMIT = 0.65

/** What the origin can take for sure: what it has carried without queueing, and one request at a time. */
export const provenLoad = ({ carried }: Reach, { meanS }: Times): number =>
  Math.max(carried, 1 / meanS)

/** Earlier tries say nothing about a capacity that has changed. */
export const restartedReach = ({ load, carried }: Reach): Reach => ({ ...NO_REACH, load, carried })

export interface ReachEvidence {
  readonly load: number
  readonly seconds: number
  readonly completions: number
  /** z: wait in units of half the slack. */
  readonly queueing: number
  /** Mean wait. */
  readonly waitS: number
}

export interface GrowthGround extends ServiceGround {
  /** The load allowed now. */
  readonly allowed: number
  /** What was carried without queueing may be exceeded by half at once. */
  readonly carried: number
  /** After each step the load is watched for so long. */
  readonly watchS: number
  readonly step: number
  /** More is asked for than is allowed. */
  readonly isPressed: boolean
}

const BEYOND_CARRIED = 1.5

/** With several servers requests wait less than Kingman's law for one has it. */
const OF_ONE_SERVER = 0.5

/** What is known of the service: S0, and the squared coefficient of variation. */
export interface ServiceGround {
  readonly meanS: number
  readonly variation: number
}

/**
 * In heavy traffic C − load = (1 + c²)/(2 wait) (Kingman 1962): what is free at least. The mean wait of so many is known
 * but for two standard errors.
 */
function freeLoad(waitS: number, completions: number, { meanS, variation }: ServiceGround): number {
  const errorS = meanS * Math.sqrt(Math.max(0.25, variation) / Math.max(1, completions))
  return (OF_ONE_SERVER * (1 + variation)) / 2 / (Math.max(0, waitS) + 2 * errorS)
}

/** The capacity is not known. */
export function grown(reach: Reach, evidence: ReachEvidence, ground: GrowthGround): Reach {
  if (evidence.queueing > QUIET) return { ...reach, seconds: 0 }
  const carried = Math.max(reach.carried, ground.carried)
  const load = Math.max(reach.load, BEYOND_CARRIED * carried)
  if (!ground.isPressed) return { ...reach, load, carried, seconds: 0 }
  const allowed = Math.max(load, ground.allowed)
  const isAt = evidence.load >= NEAR_LIMIT * allowed
  const seconds = reach.seconds + (isAt ? evidence.seconds : 0)
  if (seconds < ground.watchS) return { ...reach, load, carried, seconds }
  const { completions, waitS } = evidence
  const most = evidence.load + freeLoad(waitS, completions, ground)
  const next = Math.max(allowed, Math.min(allowed * ground.step, most))
  return { ...reach, load: next, carried, seconds: 0 }
}

/** Loads that are tried, in units of the capacity. */
const TRIED = [0, 1.05, 1.2, 1.5] as const
/** A load that is too high shows once it has left so many requests in a queue. */
const SHOWN = 15

/** The load that is tried, in units of the capacity; 0: none. */
export const triedLoad = ({ stage }: Reach): number => TRIED[stage] ?? 0

/** Completions that show whether a load is too high. */
const enoughAt = (load: number): number => Math.max(SOME, SHOWN / (Math.max(load, TRIED[1]) - 1))

export interface TryGround extends ServiceGround {
  /** The part of the capacity that is allowed without a try. */
  readonly limit: number
  /** A failure is forgotten within a window of the SLA. */
  readonly windowS: number
  /** A try waits for so long, and is confirmed after so long. */
  readonly patienceS: number
  readonly confirmS: number
  /** More is late than is allowed. */
  readonly isLate: boolean
  /** A cap keeps requests from waiting, however much is asked for. */
  readonly hasCap: boolean
  /** C */
  readonly capacity: number
}

/** What a try has shown so far. */
interface Tried {
  readonly reach: Reach
  /** The load that was tried was carried without queueing. */
  readonly isConfirmed: boolean
}

/** The capacity is known. The load is in units of it. */
export function tried(before: Reach, evidence: ReachEvidence, ground: TryGround): Tried {
  const { load, completions, queueing } = evidence
  const reach = {
    ...before,
    failed: Math.max(0, before.failed - evidence.seconds / ground.windowS),
  }
  const { stage } = reach
  // Far below the capacity there is no reason to look beyond it: the trim goes up first.
  const isIdle = stage === 0 && ground.limit < AT_LIMIT
  if (queueing > QUIET || (ground.isLate && stage > 0) || isIdle)
    return { reach: answered(reach), isConfirmed: false }
  // Nobody asks for more any longer: a try must not meet the next crowd.
  if (load < AT_LIMIT * ground.limit) return { reach: { ...reach, stage: 0 }, isConfirmed: false }
  const isAt = load >= Math.min(TRIED[1], AT_LIMIT * triedLoad(reach))
  const now = {
    ...reach,
    quiet: reach.quiet + (isAt ? completions : 0),
    waitedS: reach.waitedS + (isAt ? completions * evidence.waitS : 0),
    seconds: reach.seconds + evidence.seconds,
  }
  // Something else holds the load back: there is nothing to be learned.
  if (!isAt && now.seconds > ground.confirmS + 2 * ground.patienceS)
    return { reach: { ...reach, ...AGAIN, stage: 0 }, isConfirmed: false }
  const isDue = stage > 0 ? isShown(now, load, ground) : isTime(now, load, ground)
  if (!isAt || !isDue) return { reach: now, isConfirmed: false }
  const next = nextStage(now, load, ground)
  const failed = stage > 0 ? 0 : reach.failed
  return { reach: { ...reach, ...AGAIN, stage: next, failed }, isConfirmed: stage > 0 }
}

/** As far at once as waiting shows to be free; a cap hides it, so there it goes step by step. */
function nextStage(reach: Reach, load: number, ground: TryGround): number {
  const { stage } = reach
  if (ground.hasCap) return (stage + 1) % TRIED.length
  // What was tried with success is the capacity from now on.
  const most = mostLoad(reach, load, ground) / (stage > 0 ? Math.max(1, load) : 1)
  const highest = TRIED.findLastIndex((one) => one <= most)
  if (stage === 0) return Math.max(1, highest)
  return highest > 1 ? highest : 0
}

/** What may be carried, in units of the capacity, as far as waiting shows. */
const mostLoad = ({ quiet, waitedS }: Reach, load: number, ground: TryGround): number =>
  load + freeLoad(waitedS / Math.max(1, quiet), quiet, ground) / ground.capacity

/** Would a load that is too high have shown by now? */
const isShown = (
  { quiet, seconds }: Reach,
  load: number,
  { confirmS, patienceS }: TryGround,
): boolean => seconds >= confirmS && (quiet >= enoughAt(load) || seconds >= confirmS + patienceS)

/** Is it time for a try? After each failure it takes twice as long. */
function isTime(reach: Reach, load: number, ground: TryGround): boolean {
  const { failed, quiet, seconds } = reach
  if (failed < 1 && seconds >= ground.confirmS && isTooQuiet(reach, load, ground)) return true
  const rest = 2 ** failed
  return (
    seconds >= ground.patienceS * rest &&
    (quiet >= enoughAt(TRIED[1]) * rest || seconds >= 2 * ground.patienceS * rest)
  )
}

/** Requests that wait far less than they would if the capacity were what was measured: a try needs no patience. */
function isTooQuiet(reach: Reach, load: number, ground: TryGround): boolean {
  return !ground.hasCap && reach.quiet >= 2 * SOME && mostLoad(reach, load, ground) > TRIED[2]
}

/** Queueing answered: the capacity is what was measured. */
export function answered(reach: Reach): Reach {
  const failed = reach.stage > 0 ? reach.failed + 1 : reach.failed
  return { ...reach, ...AGAIN, stage: 0, failed }
}
