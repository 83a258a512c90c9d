import type { Granularity, LearnerChoice, Mode, Order, PoliceRule, Sla } from '../config/config.ts'
import type { Histogram } from '../lib/histogram.ts'
import type { CounterValues } from './counters.ts'

/** The message from the edge to the coordinator, once a second: what one sender saw of an origin's requests. */

export const FEEDBACK_VERSION = 1

export interface Feedback {
  readonly version: typeof FEEDBACK_VERSION
  readonly origin: string
  readonly sender: string
  /** Number of this sender's report. The receiver drops a report with a number that it has seen. */
  readonly seq: number
  readonly fromMs: number
  readonly toMs: number
  /** The report before, if it was not answered. The receiver drops it by its number if it did arrive. */
  readonly again?: Omit<Feedback, 'again'>
  /** Sent until the plan shows that the coordinator has it. */
  readonly setup?: Setup
  readonly routes: Readonly<Record<string, RouteFeedback>>
  /** By URL, the servers of a pool that were asked. Absent: none was, or the origin is a single server. */
  readonly servers?: Readonly<Record<string, ServerFeedback>>
}

/** A try fails if the server cannot be reached or does not answer in time. Any answer is a success. */
export interface ServerFeedback {
  readonly tries: number
  /** Tries that failed. */
  readonly failures: number
}

/** The part of an origin's configuration that its coordinator needs. Coordinators read no configuration themselves. */
export interface Setup {
  /** A digest of the other fields, without `sinceMs`. */
  readonly id: string
  /** When the sender started. Of two setups the later one is used. */
  readonly sinceMs: number
  readonly origin: string
  readonly tickMs: number
  readonly learner: LearnerChoice
  /** Absent: by value. */
  readonly order?: Order
  readonly routes: readonly RouteSetup[]
  /** Absent: a single server, or the handlers behind the middleware. */
  readonly servers?: readonly PoolServer[]
}

export interface PoolServer {
  /** Scheme, host and port. */
  readonly url: string
  readonly weight: number
}

export interface RouteSetup {
  readonly name: string
  readonly granularity: Granularity
  readonly mode: Mode
  readonly sla: Sla
  /** Absent: by threshold. */
  readonly police?: PoliceRule
  readonly classes: readonly {
    readonly name: string
    readonly value: number
    readonly guaranteed: number
    readonly tier: string
  }[]
}

export interface RouteFeedback {
  readonly classes: Readonly<Record<string, ClassFeedback>>
  /** Requests of admitted sessions by the session's age, in the buckets of session-age-buckets.ts. */
  readonly ages: readonly number[]
}

export interface ClassFeedback extends Readonly<CounterValues> {
  /** How often each verdict was given, by reason: see verdict.ts. In mode `observe` refusals are let in. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  /** Time to the headers, of the served. */
  readonly latency: Histogram
}
