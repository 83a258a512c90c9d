/** The message from the coordinator to the edge: for each class an admission probability and a guaranteed rate. */

export const PLAN_VERSION = 1

export interface Plan {
  readonly version: typeof PLAN_VERSION
  readonly origin: string
  /** Number of the coordinator's tick. */
  readonly seq: number
  readonly issuedAtMs: number
  /** A newer plan should come within this time. Until then this one stays in force. */
  readonly goodForMs: number
  /** The setup that this plan is made for: see `Setup`. */
  readonly setup: { readonly id: string; readonly sinceMs: number }
  /**
   * Load per second that is left for draws after the guarantees; null: no limit. Load is in new sessions if all
   * routes of the origin are session routes, else in requests.
   */
  readonly drawLimit: number | null
  /** Load that may come at once: the depth of the token bucket for draws. */
  readonly burst: number
  /** Most requests in flight at the origin, over all isolates; null: no cap. */
  readonly inFlightCap: number | null
  /** The guarantees use up the whole limit. They are kept, and no other request is admitted. */
  readonly overcommitted?: true
  /** What is known of the origin's servers. Absent: nothing is, or no route needs it. */
  readonly load?: OriginLoad
  /** Servers of the pool that do not answer. Requests go to the other servers. Absent: none. */
  readonly down?: readonly string[]
  readonly routes: Readonly<Record<string, RoutePlan>>
}

export interface OriginLoad {
  /** n: requests that the origin works on at once at its limit; null: no limit is known. */
  readonly servers: number | null
  /** S: mean inherent service time of its requests. */
  readonly serviceMs: number
  /** Requests at the origin, over all isolates. */
  readonly inFlight: number
  /** Q: the response time that neither service nor sharing the servers explains. */
  readonly queueingMs: number
}

export interface RoutePlan {
  /** λ*: the learner's limit, in the route's granularity; null: no limit. */
  readonly limit: number | null
  readonly reason: string
  /** The target in force. It changes with the arrival rate if the SLA has a table of targets. */
  readonly targetMs: number
  readonly classes: Readonly<Record<string, ClassPlan>>
}

export interface ClassPlan {
  /** p: the part of the draws that is admitted. */
  readonly probability: number
  readonly guaranteed: number
  /** min(1, guaranteed / arrivals): the part of the arrivals that is under the guarantee. */
  readonly conforming: number
  /** Load of one admission, in the unit of `drawLimit`. */
  readonly cost: number
  /** d_i: how long its requests wait before their batch is tested; absent: not at all. */
  readonly delayMs?: number
  /** 0 for the most important class of the origin, then 1, 2, …: the order in which the limit is shared out. */
  readonly rank: number
}
