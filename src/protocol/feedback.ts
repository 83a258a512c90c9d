import type { Granularity, LearnerChoice, Mode, Order, PoliceRule, Sla } from '../config/config.ts'
import type { Histogram } from '../lib/histogram.ts'

/** What goes up, once a second: everything that happened to an origin's requests in one sender's sight. */

export const FEEDBACK_VERSION = 1

export interface Feedback {
  readonly version: typeof FEEDBACK_VERSION
  readonly origin: string
  readonly sender: string
  /** Counts this sender's reports: a repeated one is dropped, a gap tells of a lost one. */
  readonly seq: number
  readonly fromMs: number
  readonly toMs: number
  /** The report before, if nobody is known to have taken it; dropped by its number if somebody has. */
  readonly again?: Omit<Feedback, 'again'>
  /** There until the sender sees by the plan that the coordinator knows it. */
  readonly setup?: Setup
  readonly routes: Readonly<Record<string, RouteFeedback>>
  /** By server, those of a pool that were asked; absent: none, or the origin is a single server. */
  readonly servers?: Readonly<Record<string, ServerFeedback>>
}

/** Any answer is a success, whatever its status: a failure is not to be reached, or not to answer in time. */
export interface ServerFeedback {
  readonly tries: number
  /** Of the tries. */
  readonly failures: number
}

/** The part of an origin's configuration that a coordinator needs: coordinators have no config of their own. */
export interface Setup {
  /** A digest of all the rest but `sinceMs`. */
  readonly id: string
  /** When the sender started: of two setups the later one holds. */
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
  /** Requests of admitted sessions by the session's age: see ages.ts. Same form as a histogram. */
  readonly ages: readonly number[]
}

/** Whole numbers only, so that sums are exact in any order. */
export interface ClassFeedback {
  /** Asked for a decision: new sessions on session routes, requests elsewhere; early retries are not among them. */
  readonly offered: number
  /** Of the offered, let in; those within the guarantee included. */
  readonly admitted: number
  /** Of the admitted, within the guarantee. */
  readonly guaranteed: number
  /** Came back before the time that they were told: refused without a draw. */
  readonly early: number
  /** Refused because their client had its part already, at others' cost: not among the offered either. */
  readonly overQuota: number
  /** Let in although the verdict was to refuse (mode `observe`). */
  readonly wouldRefuse: number
  /** Inherent service time of the offered, as far as it is known. */
  readonly offeredUs: number
  /** How often each verdict was given, by its reason: see verdict.ts. In mode `observe` refusals are let in. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  /** Requests sent to the origin, of new and of known sessions. */
  readonly requests: number
  /** Inherent service time of these. */
  readonly serviceUs: number
  /** Every request sent to the origin is one of these in the end. */
  readonly served: number
  readonly failed: number
  readonly abandoned: number
  /** Of served and failed, over the target: a failure always is. */
  readonly late: number
  /** Time to the headers, of what was served. */
  readonly latencyUs: number
  readonly latency: Histogram
  /** A level: requests at the origin when the report was made. Adds over senders, not over time. */
  readonly inFlight: number
}
