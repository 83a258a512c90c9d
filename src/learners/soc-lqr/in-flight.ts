import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * The cap on requests at the origin, for routes without sessions: it answers within a response time, where a rate
 * has to wait for the next tick. K = C × the stay that the target leaves, trimmed by the share over the target, and no
 * more than keeps the servers busy: by Little's law C S0 of them are, and beyond the knee of the curve of goodput against
 * requests inside more only wait.
 */
export interface InFlight {
  /** Decided last, newest first. */
  readonly caps: readonly number[]
  readonly trim: number
  /** Belief from 0 to 1 that the cap is held: who enforces rates only lets more in. */
  readonly held: number
  /** How often it was not. */
  readonly broken: number
}

export const NO_CAP: InFlight = { caps: [], trim: 1, held: 1, broken: 0 }

export const isInFlight: StateSchema = object({
  caps: list(atLeastZero),
  trim: atLeastZero,
  held: atLeastZero,
  broken: atLeastZero,
})

const LEAST_TRIM = 0.2
const MOST_TRIM = 1.6
/** A decision is in force in the tick after the next one at the latest. */
const REMEMBERED = 3
/** Belief that comes back in a tick; a quarter of it after each disappointment. */
const REGAINED = 1 / 500
const MOST_BROKEN = 6
/** Where nothing waits, fewer in flight make nothing faster: what is over the target is slow by itself. */
const QUIET = 0.1
const LEAST_CAP = 1
/** Requests beyond the busy servers that keep them busy, per square root of their number (Halfin, Whitt 1981). */
const RESERVE = 3.6
const SPARE = 1.2
/** A cap leaves room for what is served, and a little for who comes next. */
const LEAST_STAY = 1.05
/** The estimate of S0 is bounded by half the target. */
const S0_BOUND = 0.49

/** Is the cap believed to be held? */
export const isHeld = ({ held }: InFlight): boolean => held > 0.5

export interface CapTick {
  /** Requests at the origin when the tick began and when it ended. */
  readonly before: number
  readonly after: number
  readonly admitted: number
  readonly served: number
}

/** Above every cap that can be in force, and still letting in? */
export function observeCap(inFlight: InFlight, tick: CapTick): InFlight {
  const { caps, held, broken } = inFlight
  const inForce = caps.length < 2 ? Number.POSITIVE_INFINITY : Math.max(...caps)
  const tolerated = 1.3 * inForce + 5
  const above = tick.before > tolerated && tick.after > tolerated
  if (above && tick.admitted > 0.2 * tick.served) {
    const times = held > 0 ? Math.min(MOST_BROKEN, broken + 1) : broken
    return { ...inFlight, held: 0, broken: times }
  }
  return { ...inFlight, held: Math.min(1, held + REGAINED / 4 ** broken) }
}

export interface CapEvidence {
  readonly spent: number
  readonly aim: number
  /** Wait in units of half the slack. */
  readonly queueing: number
  /** Length of the interval, in times that the loop needs. */
  readonly part: number
}

export function trimCap(inFlight: InFlight, evidence: CapEvidence): InFlight {
  const { spent, aim, queueing, part } = evidence
  const error = queueing < QUIET ? 1 : Math.min(1, Math.max(-3, (aim - spent) / aim))
  const trim = inFlight.trim * Math.exp((part / 3) * error)
  return { ...inFlight, trim: Math.min(MOST_TRIM, Math.max(LEAST_TRIM, trim)) }
}

export interface CapGround {
  /** C, or what is allowed while that is unknown. */
  readonly rate: number
  readonly known: boolean
  /** S0, W and the target. */
  readonly meanS: number
  readonly slackS: number
  readonly targetS: number
  /** Without queueing all but the share aimed at are done within this time. */
  readonly tailS: number
  /** While nothing is known, no less than this. */
  readonly least: number
}

export function decideCap(inFlight: InFlight, ground: CapGround): InFlight {
  const { rate, meanS, slackS, targetS, tailS } = ground
  const leftS = Math.min(meanS + targetS - tailS, targetS / 2)
  // With fewer inside than busy servers nobody waits: what is late then is slow by itself. At its bound of half the target
  // S0 is no measurement, and only idle servers can show the true one.
  const leastS = meanS < S0_BOUND * targetS ? meanS : 0
  const stayS = Math.max(leastS, Math.max(LEAST_STAY * meanS, leftS) * inFlight.trim)
  const busy = rate * meanS
  // The knee of the curve of goodput against requests inside: more than that only wait.
  const knee = busy + (RESERVE * Math.sqrt(busy) + SPARE) * Math.max(1, inFlight.trim)
  const cap = ground.known
    ? Math.max(LEAST_CAP, Math.round(Math.min(knee, rate * stayS)))
    : Math.max(ground.least, Math.ceil(rate * (meanS + slackS / 2)))
  return { ...inFlight, caps: [cap, ...inFlight.caps].slice(0, REMEMBERED) }
}

/** An announced change of capacity by ρ. */
export function scaleCaps(inFlight: InFlight, ratio: number): InFlight {
  return { ...inFlight, caps: inFlight.caps.map((cap) => cap * ratio) }
}
