/** What the commands read of the admin API's answers (`/_tidegate/api/v1`). A gate may send more. */

export interface Rates {
  readonly offered: number
  readonly admitted: number
  readonly refused: number
  readonly wouldRefuse: number
  readonly requests: number
  readonly served: number
  readonly failed: number
  /** Absent: the gate is older than the waiting room. */
  readonly queued?: number
}

export interface Point extends Rates {
  readonly atMs: number
  readonly seconds: number
  readonly abandoned: number
  readonly withinTarget: number
  readonly inFlight: number
  readonly limit: number | null
  readonly targetMs: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly classes: Readonly<Record<string, Rates>>
}

export interface Status {
  readonly name: string
  readonly origin: string | null
  readonly granularity: 'session' | 'request'
  readonly mode: string
  readonly configuredMode?: string
  readonly summary?: { readonly level: string; readonly text: string }
  readonly now?: Point | null
  readonly learner: { readonly name: string; readonly reason?: string }
  readonly down?: readonly string[]
  readonly overrides?: readonly OverrideShape[]
}

export interface OverrideShape {
  readonly id: string
  readonly change: Readonly<Record<string, unknown>>
  readonly by: string
  readonly untilMs: number | null
}

export interface HistoryShape {
  readonly route: string
  readonly range: string
  readonly stepMs: number
  readonly points: readonly Point[]
}

export interface AuditShape {
  readonly id: string
  readonly atMs: number
  readonly route: string
  readonly by: string
  readonly text: string
  readonly untilMs: number | null
  readonly note?: string
}
