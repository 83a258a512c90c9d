import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'

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
  readonly goodput: number
  readonly queueing: number
  readonly spent: number
}

export const NO_GROWTH: Growth = {
  proven: 0,
  load: 0,
  recent: { completions: 0, seconds: 0, load: 0, goodput: 0, queueing: 0, spent: 0 },
}

export const isGrowth: StateSchema = object({
  proven: atLeastZero,
  load: atLeastZero,
  recent: object({
    completions: atLeastZero,
    seconds: atLeastZero,
    load: atLeastZero,
    goodput: atLeastZero,
    queueing: atLeastZero,
    spent: atLeastZero,
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
  /** Share over the target, in units of what the SLA allows. */
  readonly spent: number
  /** The load may be so many times what is proven. */
  readonly headroom: number
}

const MEMORY = 100
const CALM = 0.5
const LEAST_ROOM = 0.7
const SPENT_MEMORY = 4
const SHOWN = 1
const LEAST_GROWTH = 0.2
const MOST_GROWTH = 0.7
/** Of sessions: what they ask for when they have to wait is known to nobody yet. */
const MOST_SESSION_GROWTH = 0.35

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
    goodput: recent.goodput + slow * (evidence.completions / evidence.seconds - recent.goodput),
    queueing: recent.queueing + fast * (evidence.queueing - recent.queueing),
    spent: recent.spent + (slow / SPENT_MEMORY) * (evidence.spent - recent.spent),
  }
}

/** Lasting queueing shows the capacity, although it is no backlog: what is served meanwhile. null: not yet. */
export function shownCapacity({ recent }: Growth): number | null {
  return recent.queueing > SHOWN && recent.completions >= 0.99 * MEMORY ? recent.goodput : null
}

/**
 * Sessions admitted in excess are gone after D ln(headroom). That is to take no more than a part of the SLA's
 * window, and less where much is over the target anyway: the window has to keep its promise all the same.
 */
export function headroomOf(
  { recent }: Growth,
  {
    lagS,
    windowS,
    part,
  }: { readonly lagS: number; readonly windowS: number; readonly part: number },
): number {
  const left = Math.max(0, 1 - recent.spent)
  const most = lagS > 0 ? MOST_SESSION_GROWTH : MOST_GROWTH
  return Math.exp(Math.min(most, Math.max(LEAST_GROWTH, (part * left * windowS) / lagS)))
}

/** An announced change: knowledge scales by ρ (Bartolini et al. 2009, §5.3). */
export function scaleGrowth(growth: Growth, ratio: number): Growth {
  const { recent } = growth
  return {
    proven: growth.proven * ratio,
    load: growth.load * ratio,
    recent: { ...recent, load: recent.load * ratio, goodput: recent.goodput * ratio },
  }
}
