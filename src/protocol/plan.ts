/** What comes down: for each class an admission probability and a guaranteed rate. */

export const PLAN_VERSION = 1

export interface Plan {
  readonly version: typeof PLAN_VERSION
  readonly origin: string
  /** Counts the ticks of the coordinator. */
  readonly seq: number
  readonly issuedAtMs: number
  /** After this long a newer plan should have come; the old one stays in force meanwhile. */
  readonly goodForMs: number
  /** Whose configuration this plan is for: see `Setup`. */
  readonly setup: { readonly id: string; readonly sinceMs: number }
  /**
   * Load per second left for draws once guarantees are served; null: no limit. Load is counted in
   * new sessions where all routes of the origin are session routes, else in requests.
   */
  readonly drawLimit: number | null
  /** Load per second that asked for a draw: an isolate's own part of it is its share of the room. */
  readonly offered: number
  /** How much load may come at once: the depth of the bucket that holds the room. */
  readonly burst: number
  /** Most requests in flight at the origin, over all isolates; null: no cap. */
  readonly inFlightCap: number | null
  /** There where the guarantees use up the whole limit: they are kept all the same, and nobody else gets in. */
  readonly overcommitted?: true
  /** What is known of the origin's servers; absent where no route asks for it, or nothing is known. */
  readonly load?: OriginLoad
  /** Servers of the pool that answer nobody: requests go to the others. Absent: none. */
  readonly down?: readonly string[]
  readonly routes: Readonly<Record<string, RoutePlan>>
}

export interface OriginLoad {
  /** n: requests that the origin works on at once when it is at its limit; null: no limit is known. */
  readonly servers: number | null
  /** S: mean inherent service time of its requests. */
  readonly serviceMs: number
  /** Requests at the origin, over all isolates. */
  readonly inFlight: number
  /** Q: how long a request waits beyond what sharing the servers explains. */
  readonly queueingMs: number
}

export interface RoutePlan {
  /** λ*: what the learner allows, in the route's granularity; null: no limit. */
  readonly limit: number | null
  readonly reason: string
  /** The response time that is the target now (an SLA table moves it). */
  readonly targetMs: number
  readonly classes: Readonly<Record<string, ClassPlan>>
}

export interface ClassPlan {
  /** p: the part of the draws to admit. */
  readonly probability: number
  readonly guaranteed: number
  /** min(1, guaranteed / arrivals): the part of the arrivals that is within the guarantee. */
  readonly conforming: number
  /** Load that one admission brings, in the unit of `room`. */
  readonly cost: number
  /** d_i: how long its requests are held before their batch is tested; absent: not at all. */
  readonly delayMs?: number
  /** 0 for the most important class of the origin, then 1, 2, …: the order in which the room is given away. */
  readonly rank: number
}
