import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
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
  /** How far beyond the capacity is tried: 0 is not at all. */
  readonly stage: number
  /** Tries that queueing answered since one was right: the next one waits longer. */
  readonly failed: number
}

export const NO_REACH: Reach = { load: 0, carried: 0, seconds: 0, quiet: 0, stage: 0, failed: 0 }

export const isReach: StateSchema = (value) =>
  object({
    load: atLeastZero,
    carried: atLeastZero,
    seconds: atLeastZero,
    quiet: atLeastZero,
    stage: (stage) => TRIED[stage as number] !== undefined,
    failed: atLeastZero,
  })(value)

/** In units of half the slack: below the first nothing waits, above the second too much came. */
const QUIET = 0.3
const ANSWERED = 0.6
/** The load has come up to its limit, as far as chance lets it. While sessions are hardly known, it stays below. */
const AT_LIMIT = 0.85
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
}

export interface GrowthGround {
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
  return { ...reach, load: allowed * ground.step, carried, seconds: 0 }
}

/** Loads that are tried, in units of the capacity. */
const TRIED = [0, 1.05, 1.2, 1.5] as const
const FEWEST = 300
const PATIENCE_S = 15
const MOST_FAILED = 5
/** A failure is forgotten after so many completions. */
const FORGIVEN = 5000

/** Far below the capacity there is no reason to look beyond it: the trim goes up first. */
const NEARLY_ALL = 0.9

/** The load that is tried, in units of the capacity; 0: none. */
export const triedLoad = ({ stage }: Reach): number => TRIED[stage] ?? 0

export interface TryGround {
  /** The part of the capacity that is allowed without a try. */
  readonly limit: number
  /** A try waits for so long, and is confirmed after so long. */
  readonly patienceS: number
  readonly confirmS: number
  /** More is late than is allowed. */
  readonly isLate: boolean
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
  const reach = { ...before, failed: Math.max(0, before.failed - completions / FORGIVEN) }
  const { stage, failed } = reach
  if (queueing > ANSWERED || (ground.isLate && stage > 0))
    return { reach: answered(reach), isConfirmed: false }
  const isIdle = stage === 0 && ground.limit < NEARLY_ALL
  if (queueing > QUIET || isIdle)
    return { reach: { ...reach, seconds: 0, quiet: 0 }, isConfirmed: false }
  // Nobody asks for more any longer: a try must not meet the next crowd.
  if (load < AT_LIMIT * ground.limit) return { reach: { ...reach, stage: 0 }, isConfirmed: false }
  const isAt = load >= AT_LIMIT * triedLoad(reach)
  const quiet = reach.quiet + (isAt ? completions : 0)
  const seconds = reach.seconds + evidence.seconds
  // Something else holds the load back: there is nothing to be learned.
  if (!isAt && seconds > ground.confirmS + 2 * PATIENCE_S)
    return { reach: { ...reach, quiet: 0, seconds: 0, stage: 0 }, isConfirmed: false }
  const isDue =
    stage > 0
      ? seconds >= ground.confirmS && (quiet >= FEWEST || seconds >= PATIENCE_S)
      : isPatient(quiet / 2 ** failed, seconds / 2 ** failed, ground.patienceS)
  if (!isAt || !isDue) return { reach: { ...reach, quiet, seconds }, isConfirmed: false }
  const next = (stage + 1) % TRIED.length
  return { reach: { ...reach, quiet: 0, seconds: 0, stage: next }, isConfirmed: stage > 0 }
}

const isPatient = (quiet: number, seconds: number, patienceS: number): boolean =>
  seconds >= patienceS && (quiet >= FEWEST || seconds >= 2 * PATIENCE_S)

/** Queueing answered: the capacity is what was measured. */
export function answered(reach: Reach): Reach {
  const failed = reach.stage > 0 ? Math.min(MOST_FAILED, reach.failed + 1) : reach.failed
  return { ...reach, seconds: 0, quiet: 0, stage: 0, failed }
}
