/** How far beyond what was proven the load may go while the capacity is not known. */
export interface Growth {
  /** V: the largest load that was carried without queueing. */
  readonly proven: number
  /** The load allowed; 0: none set yet. */
  readonly load: number
  /** Load and z of the last completions. */
  readonly recent: Recent
}

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

export interface GrowthEvidence {
  readonly load: number
  readonly completions: number
  readonly seconds: number
  /** Queueing needs about this long to show. */
  readonly spanS: number
  /** z */
  readonly queueing: number
}

/** In service before anything is known: what the smallest origin takes without harm. */
const STARTING_IN_SERVICE = 16
const MEMORY = 100
const CALM = 0.5

export function growUnknown(growth: Growth, evidence: GrowthEvidence, headroom: number): Growth {
  const recent = average(growth.recent, evidence)
  // A mean of few completions is high by chance as often as not: only its lower end is proven.
  const carried = recent.load * (1 - 1 / Math.sqrt(recent.completions))
  if (recent.queueing < CALM) {
    const proven = Math.max(growth.proven, carried)
    return { proven, load: Math.max(growth.load, headroom * proven), recent }
  }
  const room = Math.max(0.7, 1 + (headroom - 1) * (1 - recent.queueing))
  return {
    ...growth,
    load: Math.min(growth.load, Math.max(growth.proven, recent.load * room)),
    recent,
  }
}

/** Over at least so many completions and so long that queueing would have shown. */
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
 * How far beyond what is proven: too much drains within D ln(headroom), and that may take so large a part of the SLA's window.
 */
export function headroomOf(lagS: number, windowS: number): number {
  return Math.exp(Math.min(0.7, Math.max(0.2, (0.15 * windowS) / lagS)))
}

export function startGrowth(growth: Growth, serviceS: number): Growth {
  return growth.load > 0 ? growth : { ...growth, load: STARTING_IN_SERVICE / serviceS }
}
