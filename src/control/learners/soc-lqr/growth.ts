import { atLeastZero, object, type Shape } from '../../shape.ts'

/** How far beyond what was proven the load may go while the capacity is not known. */
export interface Growth {
  /** V: the largest load that was carried without queueing. */
  readonly proven: number
  /** The load allowed; 0: none set yet. */
  readonly load: number
  readonly recent: Recent
}

/** Load and queueing of the last completions. */
interface Recent {
  readonly completions: number
  readonly seconds: number
  readonly load: number
  readonly queueing: number
}

export const NO_GROWTH: Growth = {
  proven: 0,
  load: 0,
  recent: { completions: 0, seconds: 0, load: 0, queueing: 0 },
}

export const isGrowth: Shape = object({
  proven: atLeastZero,
  load: atLeastZero,
  recent: object({
    completions: atLeastZero,
    seconds: atLeastZero,
    load: atLeastZero,
    queueing: atLeastZero,
  }),
})

export interface GrowthEvidence {
  readonly load: number
  readonly completions: number
  readonly seconds: number
  /** Queueing needs about this long to show. */
  readonly spanS: number
  /** Wait in units of half the slack, as far as it is certain. */
  readonly queueing: number
  /** The load may be so many times what is proven. */
  readonly headroom: number
}

const MEMORY = 100
const CALM = 0.5
const LEAST_ROOM = 0.7

export function startGrowth(growth: Growth, load: number): Growth {
  return growth.load > 0 ? growth : { ...growth, load }
}

export function observeGrowth(growth: Growth, evidence: GrowthEvidence): Growth {
  const { headroom } = evidence
  const recent = average(growth.recent, evidence)
  // A mean of few completions is high by chance as often as not: only its lower end is proven.
  const carried = recent.load * (1 - 1 / Math.sqrt(Math.max(1, recent.completions)))
  if (recent.queueing < CALM) {
    const proven = Math.max(growth.proven, carried)
    return { proven, load: Math.max(growth.load, headroom * proven), recent }
  }
  // What seemed proven and queues now is not.
  const proven = recent.queueing > 1 ? Math.min(growth.proven, carried) : growth.proven
  const room = Math.max(LEAST_ROOM, 1 + (headroom - 1) * (1 - recent.queueing))
  return { proven, load: Math.min(growth.load, Math.max(proven, recent.load * room)), recent }
}

/** Over at least so many completions, and so long that queueing would have shown. */
function average(recent: Recent, evidence: GrowthEvidence): Recent {
  const completions = recent.completions + evidence.completions
  const seconds = recent.seconds + evidence.seconds
  const keep = Math.min(1, Math.max(MEMORY / completions, evidence.spanS / seconds))
  const slow = evidence.completions / completions
  const fast = Math.min(1, 2 * slow)
  return {
    completions: completions * keep,
    seconds: seconds * keep,
    load: recent.load + slow * (evidence.load - recent.load),
    queueing: recent.queueing + fast * (evidence.queueing - recent.queueing),
  }
}

/**
 * Sessions admitted in excess are gone after D ln(headroom). That is to take no more than a part of the SLA's
 * window, so that the window can still keep its promise.
 */
export function headroomOf(lagS: number, windowS: number, part: number): number {
  return Math.exp(Math.min(0.7, Math.max(0.2, (part * windowS) / lagS)))
}

/** An announced change: knowledge scales by ρ (soc.md §5.3). */
export function scaleGrowth(growth: Growth, ratio: number): Growth {
  const { recent } = growth
  return {
    proven: growth.proven * ratio,
    load: growth.load * ratio,
    recent: { ...recent, load: recent.load * ratio },
  }
}
