/**
 * How close to capacity the load may come. Near saturation the queue is governed by the requests that fit into
 * the slack, C W: the share over the target depends on κ = (1 − load/C) C W, much the same for any size of origin.
 * κ is trimmed until the share over the target is what is aimed at.
 */
export interface Trim {
  readonly headroom: number
}

export const HEADROOM_START = 1.5
const LEAST_HEADROOM = 0.4
const GAIN = 2
const MOST_ERROR = 15
const MOST_HEADROOM = 4
const LEAST_LOAD = 0.6
const MOST_LOAD = 0.985

/** u, the part of the capacity that the load may be. */
export function loadPart(
  { headroom }: Trim,
  capacity: number,
  slackS: number,
  most = MOST_LOAD,
): number {
  return Math.min(most, Math.max(LEAST_LOAD, 1 - headroom / (capacity * slackS)))
}

export interface TrimEvidence {
  /** Share over the target, and the share aimed at, in units of what the SLA allows. */
  readonly spent: number
  readonly aim: number
  readonly seconds: number
  /** Within this time the loop shows what a change has done. */
  readonly lagS: number
}

/** An integrator without a clip: e is 0 or 0.6 in turn where service is constant, and only the mean counts. */
export function observeTrim(trim: Trim, evidence: TrimEvidence): Trim {
  const error = (evidence.spent - evidence.aim) / evidence.aim
  const step = ((GAIN * evidence.seconds) / (3 * evidence.lagS)) * Math.min(error, MOST_ERROR)
  return { headroom: Math.min(MOST_HEADROOM, Math.max(LEAST_HEADROOM, trim.headroom + step)) }
}
