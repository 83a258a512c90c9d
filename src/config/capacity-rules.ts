export const CONCURRENCY_UNITS = ['requests', 'sessions'] as const

/** How many servers the origin needs: what is known, and when the answer changes. */
export interface CapacityRules {
  readonly tiers: readonly CapacityTier[]
  /** How long a new server takes until it serves. */
  readonly startupS: number
  readonly predict: { readonly percentile: number; readonly correctionHours: number }
  readonly react: {
    readonly everyS: number
    readonly above: number
    readonly refused: number
    readonly below: number
    readonly step: 'model' | number
    readonly maxStep: number
    readonly pauseS: number
  }
  /** Where decisions are sent; null: nowhere. */
  readonly webhook: string | null
  /** Origins that share servers; null: this one has its own. */
  readonly group: CapacityGroup | null
}

export interface CapacityTier {
  readonly name: string
  /** Its name in `Server-Timing` and in `endpoint-load-metrics`. */
  readonly metric: string
  /** How many servers it has at the start. */
  readonly servers: number
  readonly min: number
  /** M_i */
  readonly max: number
  /** Its part of the response time; null: as measured. */
  readonly part: number | null
  /** Requests that one server works on at once. */
  readonly workers: number
  /** Its service time until it is measured; null: unknown. */
  readonly serviceMs: number | null
  readonly concurrency: {
    readonly limit: number
    readonly of: (typeof CONCURRENCY_UNITS)[number]
  } | null
}

export interface CapacityGroup {
  readonly name: string
  /** All servers of the group. */
  readonly servers: number
  /** The origins in it, this one too. */
  readonly origins: readonly string[]
}
