/**
 * How close to capacity the load may come. Near saturation the queue is governed by the requests that fit into
 * the slack, C W: the share over the target depends on κ = (1 − load/C) C W, much the same for any size of origin.
 * κ, the headroom, is trimmed until the share over the target is what is aimed at.
 */
const LEAST_HEADROOM = 0.4
const MOST_HEADROOM = 3
const MOST_LOAD = 0.985
const MOST_ERROR = 8
/** Below this nothing waits: what is over the target is slow by itself, and less load makes it no faster. */
const QUIET = 0.1

/** u = 1 − κ/(C W), the part of the capacity that the load may be. */
export function loadPart(
  headroom: number,
  capacity: number,
  slackS: number,
  floor: number,
): number {
  return Math.min(MOST_LOAD, Math.max(floor, 1 - headroom / (capacity * slackS)))
}

export interface TrimEvidence {
  /** Share over the target, and the share aimed at, in units of what the SLA allows. */
  readonly spent: number
  readonly aim: number
  /** Wait in units of half the slack. */
  readonly queueing: number
  readonly seconds: number
  readonly windowS: number
  /** Within this time the loop shows what a change has done. */
  readonly lagS: number
  /** Squared coefficient of variation of the service. */
  readonly variation: number
}

export interface Trimmed {
  readonly headroom: number
  /** What went beyond the end of the range: the capacity may be larger than was measured. */
  readonly excess: number
}

/**
 * An integrator: where service is nearly constant the share over the target is nothing or much in turn, and only
 * its mean says anything. So a bad interval counts with nearly all that it is over.
 */
export function trimmed(headroom: number, evidence: TrimEvidence): Trimmed {
  const { aim, queueing } = evidence
  const spent = queueing < QUIET ? Math.min(evidence.spent, aim) : evidence.spent
  const error = Math.min(MOST_ERROR, (spent - aim) / aim)
  const slowness = Math.max(evidence.windowS / 1.4, 1.5 * evidence.lagS)
  // Queues grow with (1 + c²)/2 (Kingman), and so does the room that they can need.
  const most = MOST_HEADROOM * Math.max(1, (1 + evidence.variation) / 2)
  const moved = Math.min(most, headroom + (evidence.seconds / slowness) * error)
  const excess = Math.max(0, LEAST_HEADROOM - moved)
  return { headroom: moved + excess, excess }
}
