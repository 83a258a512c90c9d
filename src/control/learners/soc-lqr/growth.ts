/** How far beyond what was proven the load may go while the capacity is not known, and when it may be back. */
export interface Growth {
  /** V: the largest load that was carried without queueing. */
  readonly proven: number
  /** The load allowed while C is unknown; 0: none set yet. */
  readonly load: number
  /** Evidence that C is too low, and the step to take next. */
  readonly score: number
  readonly step: number
  readonly confirmed: number
}

export const NO_GROWTH: Growth = { proven: 0, load: 0, score: 0, step: 0.03, confirmed: 0 }

export interface GrowthEvidence {
  readonly load: number
  readonly completions: number
  /** z */
  readonly queueing: number
}

const STARTING_IN_SERVICE = 16
const CALM = 0.5

export function growUnknown(
  growth: Growth,
  evidence: GrowthEvidence,
  headroom: number,
  serviceS: number,
): Growth {
  const start = Math.max(growth.load, STARTING_IN_SERVICE / serviceS)
  if (evidence.queueing < CALM) {
    const proven = Math.max(growth.proven, evidence.load)
    return {
      ...growth,
      proven,
      load: Math.max(growth.load === 0 ? start : growth.load, headroom * proven),
    }
  }
  const z = evidence.queueing
  const shrink = Math.exp(0.2 * Math.max(-3, (1 - z) ** 3))
  return {
    ...growth,
    load: z > 1 ? Math.max(growth.proven, Math.min(start, evidence.load) * shrink) : start,
  }
}

const FIRST_STEP = 0.03
const MOST_STEP = 0.24
const AT_LIMIT = 0.9
const QUIET = 0.15

export interface Return {
  readonly growth: Growth
  readonly capacity: number
}

/** Score += m/300 (1 − z/0.15) while the load is at its limit; at 1 the capacity is believed to be larger. */
export function growKnown(
  growth: Growth,
  evidence: GrowthEvidence,
  limit: number,
  capacity: number,
  best: number,
): Return {
  const { queueing, load, completions } = evidence
  if (queueing > 0.6)
    return { growth: { ...growth, score: 0, step: FIRST_STEP, confirmed: 0 }, capacity }
  if (load < AT_LIMIT * limit) return { growth, capacity }
  const pace = capacity >= best ? 600 : 300
  const score = Math.max(0, growth.score + (completions / pace) * (1 - queueing / QUIET))
  if (score < 1) return { growth: { ...growth, score }, capacity }
  const back = growth.confirmed > 0 && best > capacity * 1.03
  const factor = back ? Math.min(1.5, best / capacity) : 1 + growth.step
  return {
    growth: {
      ...growth,
      score: 0,
      step: Math.min(MOST_STEP, 2 * growth.step),
      confirmed: growth.confirmed + 1,
    },
    capacity: capacity * factor,
  }
}
