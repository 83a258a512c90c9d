import type { CONCURRENCY_UNITS } from './capacity-rules.ts'

/** What a user writes about the number of servers. */

export interface CapacityConfig {
  /** The tiers of the origin, in the order in which a request passes them. At most 8. Default: one tier, `app`. */
  readonly tiers?: readonly CapacityTierConfig[]
  /** How long a new server takes until it serves. The answer looks so far ahead. Seconds, 0 to 86400. Default: 120. */
  readonly startupS?: number
  /** How the peak of the coming hours is predicted. */
  readonly predict?: PredictConfig
  /** When the answer changes between predictions. */
  readonly react?: ReactConfig
  /** Each decision is posted to this https address, signed with TIDEGATE_WEBHOOK_SECRET (Standard Webhooks). Default: none. */
  readonly webhook?: string
  /** Servers that this origin shares with others. Default: it has its own. */
  readonly group?: CapacityGroupConfig
}

export interface CapacityTierConfig {
  /** Name of the tier in the answer. 1 to 32 small letters, digits, `_`, `-`, the first a letter. */
  readonly name: string
  /** The tier's metric in the headers `Server-Timing` and `endpoint-load-metrics` of the origin's answers. Default: its name. */
  readonly metric?: string
  /** How many servers the tier has until an autoscaler reports it. Whole number, 1 to 10000. Default: for the first tier, as many as `origin` has; for others `min`. */
  readonly servers?: number
  /** Fewest servers. Whole number, 1 to 10000. Default: 1. */
  readonly min?: number
  /** Most servers: 1 for a database that cannot be replicated. Whole number, 1 to 10000. Default: 1000. */
  readonly max?: number
  /** The tier's part of the response time, such as 0.4. 0.001 to 0.999. Default: in proportion to its measured time. */
  readonly part?: number
  /** Requests that one server works on at once: its cores or processes. Whole number, 1 to 10000. Default: 1. */
  readonly workers?: number
  /** Mean service time of a request at the tier, until the origin reports it. Milliseconds, 0.01 to 120000. Default: unknown. */
  readonly serviceMs?: number
  /** A limit on how much one server holds at once. Default: none. */
  readonly concurrency?: ConcurrencyConfig
}

export interface ConcurrencyConfig {
  /** Most requests or sessions that one server of the tier holds at once. Whole number, 1 to 1000000. */
  readonly limit: number
  /** What is limited: `requests`, or `sessions` where connections stay open. Default: `requests`. */
  readonly of?: (typeof CONCURRENCY_UNITS)[number]
}

export interface PredictConfig {
  /** The peak of an hour is this percentile of the arrival rates that earlier days had in it. 50 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The prediction is raised by the mean error of so many last hours. Whole number, 0 to 24. Default: 3. */
  readonly correctionHours?: number
}

export interface ReactConfig {
  /** How often arrivals are compared with what was planned. Seconds, 1 to 86400. Default: 300. */
  readonly everyS?: number
  /** More servers are asked for when arrivals are more than this many times the planned rate. 1 to 100. Default: 1.2. */
  readonly above?: number
  /** More servers are asked for at once when more than this part of the arrivals is refused. 0 to 1. Default: 0.05. */
  readonly refused?: number
  /** Fewer servers are asked for when arrivals are less than this part of the planned rate. 0 to 0.99. Default: 0.5. */
  readonly below?: number
  /** How many servers more or fewer: `model`, as many as the model says; or a part of the current number, such as 0.1. Default: `model`. */
  readonly step?: 'model' | number
  /** A tier changes by at most so many servers at once. Whole number, 1 to 10000. Default: 10. */
  readonly maxStep?: number
  /** Shortest time between two changes. Seconds, 0 to 86400. Default: 120. */
  readonly pauseS?: number
}

export interface CapacityGroupConfig {
  /** Origins with the same group share its servers. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** All servers of the group. Whole number, 1 to 10000. */
  readonly servers: number
}
