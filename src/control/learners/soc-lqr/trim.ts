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
const MOST_ERROR = 8
const MOST_HEADROOM = 3
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
  readonly windowS: number
  /** Within this time the loop shows what a change has done. */
  readonly lagS: number
}

export interface Trimmed {
  readonly trim: Trim
  /** What went beyond the end of the range, as headroom: the capacity must be larger than was measured. */
  readonly excess: number
}

/** An integrator without a clip: e is 0 or 0.6 in turn where service is constant, and only the mean counts. */
export function observeTrim(trim: Trim, evidence: TrimEvidence): Trimmed {
  const error = (evidence.spent - evidence.aim) / evidence.aim
  const slowness = Math.max(evidence.windowS / 1.4, 1.5 * evidence.lagS)
  const step = (evidence.seconds / slowness) * Math.min(error, MOST_ERROR)
  const headroom = Math.min(MOST_HEADROOM, trim.headroom + step)
  const excess = Math.max(0, LEAST_HEADROOM - headroom)
  return { trim: { headroom: headroom + excess }, excess }
}
