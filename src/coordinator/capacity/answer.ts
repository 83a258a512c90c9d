/** What Tidegate says about an origin's servers: in the API, as a metric, to autoscalers. */

export const CAPACITY_REASONS = {
  'no-data': 'too little traffic to say anything: the servers stay',
  predicted: 'for the peak that earlier days had at this time',
  observed: 'arrivals are above what was planned',
  refused: 'visitors are refused',
  low: 'arrivals are far below what was planned',
  shared: 'other origins of the group earn more with these servers',
  steady: 'the servers fit the arrivals',
} as const

export type CapacityReason = keyof typeof CAPACITY_REASONS

/** Where the rate of a server comes from. */
export type RateSource = 'model' | 'configured' | 'learner' | 'unknown'

export interface TierAnswer {
  /** Servers now, as far as is known. */
  readonly current: number
  readonly desired: number
  /** η_i for the planned rate, before the limits; null: unknown. */
  readonly needed: number | null
  readonly min: number
  readonly max: number
  /** `desired`, rounded up past the tolerance of Kubernetes' autoscaler. */
  readonly hpaDesired: number
  /** 100 · desired / current, for target tracking with a target of 100. */
  readonly percent: number
  readonly source: RateSource
  /** Requests per second that one server takes; null: unknown. */
  readonly serverRate: number | null
  readonly serviceMs: number | null
  /** β_i */
  readonly visits: number
  /** d_i */
  readonly responseMs: number | null
}

export interface CapacityAnswer {
  readonly origin: string
  /** The number of the decision. It changes with every change of a desired number. */
  readonly sequence: number
  readonly decidedAtMs: number
  /** A decision that was not carried out until then is out of date. */
  readonly validUntilMs: number
  readonly reason: CapacityReason
  /** How far the answer looks ahead. */
  readonly horizonS: number
  /** In the unit of the origin's limit: new sessions or requests per second. */
  readonly unit: 'session' | 'request'
  readonly observedRate: number
  readonly predictedRate: number | null
  readonly plannedRate: number
  /** The rate that the desired servers carry; null: unknown. */
  readonly carries: number | null
  readonly refusedPart: number
  /** The tier that cannot grow as far as it must; null: all can. */
  readonly limitedBy: string | null
  /** The rate that the gate holds because of this tier; null: none. */
  readonly heldRate: number | null
  readonly targetMs: number
  readonly requestsPerSession: number | null
  readonly thinkS: number | null
  readonly sessionS: number | null
  readonly arrivalVariability: number
  /** Servers that other origins of the group get instead. */
  readonly isShort: boolean
  readonly tiers: Readonly<Record<string, TierAnswer>>
}

/** Kubernetes' autoscaler ignores changes within 10 %. */
const HPA_TOLERANCE = 0.1

/**
 * The next number that the autoscaler does not ignore: 20 to 21 would never be done, 20 to 23 is. Fewer servers are not
 * rounded: too many for a while do no harm.
 */
export function pastTolerance(current: number, desired: number, max: number): number {
  if (desired <= current) return desired
  const past = Math.floor(current * (1 + HPA_TOLERANCE) + 1e-9) + 1
  return Math.min(max, Math.max(desired, past))
}
