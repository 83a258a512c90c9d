import type { CapacityRules } from '../config/capacity-rules.ts'
import type { Granularity, LearnerChoice, Mode, Order, PoliceRule, Sla } from '../config/config.ts'
import type { Histogram } from '../lib/histogram.ts'
import type { OriginCommands } from './commands.ts'
import type { CounterValues } from './counters.ts'
import type { TicketCells } from './queue-plan.ts'

/** The message from the edge to the coordinator, once a second: what one sender saw of an origin's requests. */

export const FEEDBACK_VERSION = 3

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
  /** When the plan was issued by which its draws were decided, by the coordinator's clock; of a relay the mean over draws. */
  readonly planIssuedAtMs?: number
  /** A visitor waits for the answer. A relay with a fresh plan answers at once. */
  readonly asks?: true
  /** Nothing is reported: the sender asks for the newest plan. It has the number of the last report. */
  readonly confirms?: true
  /** A draw waits for the answer: it needs an admission that is not lent in advance. */
  readonly wants?: true
  /** The key of that draw's class. Absent: not known. */
  readonly wantsFor?: string
  /** How many isolates a relay speaks for. Absent: the sender is an isolate. */
  readonly isolates?: number
  /** How many relays the relay of a region speaks for. Absent: the sender is no such relay. */
  readonly relays?: number
  /** Sent until the plan shows that the coordinator has it. */
  readonly setup?: Setup
  readonly routes: Readonly<Record<string, RouteFeedback>>
  /** By URL, the servers of a pool that were asked. Absent: none was, or the origin is a single server. */
  readonly servers?: Readonly<Record<string, ServerFeedback>>
  /** Commands of the origin since the last report. Absent: none. */
  readonly commands?: OriginCommands
  /** By tier, what the origin's answers said about its tiers. Absent: nothing, or no capacity is planned. */
  readonly tiers?: Readonly<Record<string, TierFeedback>>
}

/** What answers said about one tier of the origin: see src/measure/tier-times.ts. */
export interface TierFeedback {
  /** Answers that said anything about any tier. */
  readonly answers: number
  /** Requests at this tier that they reported, and the time that these took. */
  readonly visits: number
  readonly us: number
  readonly times: Histogram
  /** Answers that reported the load of a server, and the service time that follows from it. */
  readonly loads: number
  readonly loadUs: number
}

/** A try fails if the server cannot be reached or does not answer in time. Any answer is a success. */
export interface ServerFeedback {
  readonly tries: number
  /** Tries that failed. */
  readonly failures: number
  /** Requests of visitors that were sent to it. Absent: none. */
  readonly requests?: number
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
  /** Absent: no capacity is planned. */
  readonly capacity?: CapacityRules
}

export interface PoolServer {
  /** Scheme, host and port. */
  readonly url: string
  readonly weight: number
  /** It is being taken out of the pool. Absent: it is not. */
  readonly drain?: ServerDrain
}

/** How a server is taken out of a pool (Urgaonkar et al. 2008, §6.1). */
export interface ServerDrain {
  readonly sinceMs: number
  /** No session stays longer than this. */
  readonly untilMs: number
  /** `fixed`: its sessions move away at a fixed rate. `measured`: each stays until it ends. */
  readonly how: 'fixed' | 'measured'
  /** The origin that gets the server then. Absent: none. */
  readonly moveTo?: string
}

export interface RouteSetup {
  readonly name: string
  readonly granularity: Granularity
  readonly mode: Mode
  readonly sla: Sla
  /** Absent: by threshold. */
  readonly police?: PoliceRule
  /** Absent: answers of one quality only. */
  readonly quality?: QualitySetup
  readonly classes: readonly {
    readonly name: string
    readonly value: number
    readonly guaranteed: number
    readonly tier: string
    /** Absent: the route's. */
    readonly sla?: Sla
  }[]
}

export interface RouteFeedback {
  readonly classes: Readonly<Record<string, ClassFeedback>>
  /** Requests of admitted sessions by the session's age, in the buckets of session-age-buckets.ts. */
  readonly ages: readonly number[]
  /** Ids of a few verdicts: see verdict-id.ts. Absent: none. */
  readonly samples?: readonly string[]
  /** Sessions that the origin has ended, by their age, in the same buckets. Absent: none. */
  readonly ended?: readonly number[]
  /** Response times by step of quality. Absent: the route cannot degrade, or nothing was answered. */
  readonly quality?: QualityFeedback
}

export type QualityFeedback = Readonly<Record<number, QualitySeen>>

export interface QualitySeen {
  readonly requests: number
  /** Sum of their response times. */
  readonly us: number
}

/** The steps of quality that a route has. */
export interface QualitySetup {
  readonly min: number
  readonly steps: number
}

export interface ClassFeedback extends Readonly<CounterValues> {
  /** How often each verdict was given, by reason: see verdict.ts. In mode `observe` refusals are let in. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  /** How often visitors were sent to the waiting room, by reason. Absent: never. */
  readonly queued?: Readonly<Record<string, number>>
  /** Tickets that have come back at least once, and those that have not. Absent: no change. */
  readonly places?: TicketCells
  readonly fresh?: TicketCells
  /** Absent: none. */
  readonly degrades?: Readonly<Record<string, number>>
  readonly redirects?: Readonly<Record<string, number>>
  /**
   * What the served cost more or less than as many mean pages, in thousandths of a page, without the ignored. Absent: 0, or
   * the origin's routes measure service times.
   */
  readonly extraCost?: number
  /** Time to the headers, of the served. */
  readonly latency: Histogram
}
