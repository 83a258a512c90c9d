/**
 * The cap on requests at the origin, for routes without sessions: it answers within a response time, where a rate
 * has to wait for the next tick. K = C × the stay that the target leaves, trimmed by the share over the target.
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

const LEAST_TRIM = 0.5
const MOST_TRIM = 1.6
const STARTING_CAP = 16
/** A decision is in force in the tick after the next one at the latest. */
const REMEMBERED = 3
/** Belief that comes back in a tick; a quarter of it after each disappointment. */
const TRUSTED_AGAIN = 1 / 500
const MOST_BROKEN = 6

/** Most of the caps that can be in force; infinite: none yet. */
export function capInForce({ caps }: InFlight): number {
  return caps.length < 2 ? Number.POSITIVE_INFINITY : Math.max(...caps)
}

export interface CapTick {
  /** Requests at the origin when the tick began and when it ended. */
  readonly before: number
  readonly after: number
  readonly admitted: number
  readonly served: number
}

export function observeCap(inFlight: InFlight, tick: CapTick): InFlight {
  const tolerated = 1.3 * capInForce(inFlight) + 5
  const above = tick.before > tolerated && tick.after > tolerated
  if (above && tick.admitted > 0.2 * tick.served) {
    const broken = inFlight.held > 0 ? Math.min(MOST_BROKEN, inFlight.broken + 1) : inFlight.broken
    return { ...inFlight, held: 0, broken }
  }
  const regained = TRUSTED_AGAIN / 4 ** inFlight.broken
  return { ...inFlight, held: Math.min(1, inFlight.held + regained) }
}

export function trimCap(inFlight: InFlight, spent: number, aim: number, part: number): InFlight {
  const error = Math.min(1, Math.max(-3, (aim - spent) / aim))
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
}

export function decideCap(inFlight: InFlight, ground: CapGround): InFlight {
  const { rate, meanS, slackS, targetS, tailS } = ground
  const stayS = Math.max(1.05 * meanS, Math.min(meanS + targetS - tailS, targetS / 2))
  const cap = ground.known
    ? Math.max(2, Math.round(rate * stayS * inFlight.trim))
    : Math.max(STARTING_CAP, Math.ceil(rate * (meanS + slackS / 2)))
  return { ...inFlight, caps: [cap, ...inFlight.caps].slice(0, REMEMBERED) }
}
